// A weighted graph in compressed sparse row form. Generators make it, readers return it, lab 05
// takes it.
#pragma once

#include <cstddef>
#include <vector>

namespace datasets {

/// The arcs that leave vertex v are at offsets[v] up to, but not including, offsets[v + 1]. An
/// undirected edge is two arcs, a self-loop one. Vertices and arcs are numbered by int: at most
/// 2^31 - 1 each.
template <typename Weight>
struct CsrGraph {
  std::vector<int> offsets = {0};  // vertices + 1 entries, ascending, the first one 0
  std::vector<int> targets;        // one per arc
  std::vector<Weight> weights;     // one per arc, finite and not negative

  int vertices() const { return static_cast<int>(offsets.size()) - 1; }
  int arcs() const { return static_cast<int>(targets.size()); }
};

}  // namespace datasets
