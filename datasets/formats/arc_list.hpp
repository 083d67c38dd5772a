// What a file holds before it becomes a graph.
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

/// What the reader adds to a file.
struct ReadOptions {
  bool undirected = false;                    // store every arc in both directions
  WeightKind weights = WeightKind::integers;  // made up where the file has none
  std::uint64_t seed = 1;                     // of those
};

inline constexpr std::int64_t kMostVertices = std::numeric_limits<int>::max() - 1;
inline constexpr std::int64_t kMostArcs = std::numeric_limits<int>::max();

/// How many vertices a file with so many arcs may speak of. A few damaged bytes in a header must
/// not take all of the machine's memory, and a graph of isolated vertices alone is of no use.
inline std::int64_t most_vertices(std::int64_t arcs) {
  return (std::int64_t{1} << 20) + 1024 * arcs;
}

/// Adds each arc turned round, but a self-loop only once: it is its own opposite.
void add_opposites(std::vector<Arc>& arcs);

/// The graph, rows sorted. Made-up weights depend on the two ends alone, so that both directions
/// agree. Throws InputError, beginning with `name`, for more vertices or arcs than a graph can
/// have.
CsrGraph<double> to_graph(ArcList list, const ReadOptions& options, const std::string& name);

}  // namespace datasets
