// The figures that `./lab data info` shows of a graph.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "csr_graph.hpp"
#include "graph_properties.hpp"

namespace datasets {

struct GraphInfo {
  std::int64_t vertices = 0;
  std::int64_t arcs = 0;
  bool undirected = false;  // every arc has an opposite arc of equal weight
  std::int64_t self_loops = 0;
  std::int64_t parallel_arcs = 0;  // arcs beyond the first between the same two vertices
  int least_degree = 0;            // arcs that leave a vertex; all 0 without vertices
  int largest_degree = 0;
  double mean_degree = 0;
  double least_weight = 0;  // all 0 without arcs
  double largest_weight = 0;
  bool whole_weights = true;
  std::int64_t components = 0;  // of vertices that arcs connect, in either direction
  std::int64_t isolated = 0;    // components of one vertex
  std::uint64_t checksum = 0;
};

/// Union-find: the root of a component knows its size.
class Components {
 public:
  explicit Components(int vertices) : parent_(vertices), size_(vertices, 1) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  void join(int a, int b) {
    a = root(a);
    b = root(b);
    if (a == b) return;
    if (size_[a] < size_[b]) std::swap(a, b);
    parent_[b] = a;
    size_[a] += size_[b];
  }
  std::int64_t count() {
    std::int64_t roots = 0;
    for (int v = 0; v < static_cast<int>(parent_.size()); ++v) roots += parent_[v] == v;
    return roots;
  }
  std::int64_t count_single() {
    std::int64_t single = 0;
    for (int v = 0; v < static_cast<int>(parent_.size()); ++v)
      single += parent_[v] == v && size_[v] == 1;
    return single;
  }

 private:
  int root(int v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }
  std::vector<int> parent_;
  std::vector<int> size_;
};

/// Needs rows sorted by target, as generators and readers leave them.
template <typename Weight>
GraphInfo info_of(const CsrGraph<Weight>& graph) {
  GraphInfo info;
  info.vertices = graph.vertices();
  info.arcs = graph.arcs();
  info.undirected = is_undirected(graph);
  info.checksum = checksum(graph);
  Components components(graph.vertices());
  for (int v = 0; v < graph.vertices(); ++v) {
    const int begin = graph.offsets[v], end = graph.offsets[v + 1];
    info.least_degree = v == 0 ? end - begin : std::min(info.least_degree, end - begin);
    info.largest_degree = std::max(info.largest_degree, end - begin);
    for (int i = begin; i < end; ++i) {
      info.self_loops += graph.targets[i] == v;
      info.parallel_arcs += i > begin && graph.targets[i] == graph.targets[i - 1];
      components.join(v, graph.targets[i]);
    }
  }
  info.components = components.count();
  info.isolated = components.count_single();
  if (info.vertices > 0) info.mean_degree = static_cast<double>(info.arcs) / graph.vertices();
  if (info.arcs == 0) return info;
  const auto [least, largest] = std::ranges::minmax_element(graph.weights);
  info.least_weight = *least;
  info.largest_weight = *largest;
  info.whole_weights =
      std::ranges::all_of(graph.weights, [](Weight w) { return w == std::floor(w); });
  return info;
}

}  // namespace datasets
