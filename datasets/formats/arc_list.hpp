// The contents of a file, before they become a graph.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "csr_graph.hpp"
#include "graph_recipe.hpp"

namespace datasets {

struct Arc {
  int from;
  int to;
  double weight;
};

struct ArcList {
  std::int64_t vertices = 0;
  std::vector<Arc> arcs = {};
  bool weighted = true;  // false: the file has no weights, and those of `arcs` mean nothing
};

/// What the reader adds to the file's contents.
struct ReadOptions {
  bool undirected = false;                    // store every arc in both directions
  WeightKind weights = WeightKind::integers;  // made up if the file has none
  std::uint64_t seed = 1;                     // of the made-up weights
};

inline constexpr std::int64_t kMostVertices = std::numeric_limits<int>::max() - 1;
inline constexpr std::int64_t kMostArcs = std::numeric_limits<int>::max();

/// How many vertices a file with this many arcs may name. A few damaged bytes in a header must not
/// take all of the machine's memory, and a graph of nearly only isolated vertices is of no use.
inline std::int64_t most_vertices(std::int64_t arcs) {
  return (std::int64_t{1} << 20) + 1024 * arcs;
}

/// Adds the opposite of each arc. A self-loop is its own opposite and is not repeated.
void add_opposites(std::vector<Arc>& arcs);

/// The graph, rows sorted. Made-up weights depend only on the two ends, so both directions agree.
/// Throws InputError, beginning with `name`, for more vertices or arcs than a graph can have.
CsrGraph<double> to_graph(ArcList list, const ReadOptions& options, const std::string& name);

}  // namespace datasets
