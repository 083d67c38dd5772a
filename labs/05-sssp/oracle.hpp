// The oracle of lab 05: it computes the right results on the CPU. Read this first: your kernels
// must agree with it, bit for bit.
#pragma once

#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "csr_graph.hpp"

namespace sssp::oracle {

using datasets::CsrGraph;

/// Dijkstra's algorithm (1959): settles the vertices in the order of their distance.
///
/// Bellman-Ford sweeps, frontiers and delta-stepping end at the same bits. All of them stop when
/// two conditions hold: dist[v] <= dist[u] + w for every arc, and every dist[v] is the length of
/// some path. Floating-point addition of numbers >= 0 is monotone in both operands, and a sum is
/// never below either. So only the lengths of the shortest paths, each summed from the source on,
/// meet both conditions.
template <typename Weight>
std::vector<Weight> dijkstra(const CsrGraph<Weight>& graph, int source) {
  using Entry = std::pair<Weight, int>;  // a distance, which may be outdated by now, and its vertex
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  std::vector<Weight> dist(graph.vertices(), std::numeric_limits<Weight>::infinity());
  dist[source] = 0;
  queue.push({0, source});
  while (!queue.empty()) {
    const auto [distance, u] = queue.top();
    queue.pop();
    if (distance > dist[u]) continue;  // u was settled at a smaller distance
    for (int i = graph.offsets[u]; i < graph.offsets[u + 1]; ++i) {
      const int v = graph.targets[i];
      const Weight candidate = distance + graph.weights[i];
      if (!(candidate < dist[v])) continue;
      dist[v] = candidate;
      queue.push({candidate, v});
    }
  }
  return dist;
}

/// Undirected edges, each once: edge e is {start[e], end[e]} with weight[e].
template <typename Weight>
struct EdgeList {
  std::vector<int> start, end;
  std::vector<Weight> weight;

  int size() const { return static_cast<int>(start.size()); }
  void add(int u, int v, Weight w) {
    start.push_back(u);
    end.push_back(v);
    weight.push_back(w);
  }
};

/// What `edges` makes: the arcs from a smaller to a larger vertex, in the order of the CSR.
template <typename Weight>
EdgeList<Weight> edge_list(const CsrGraph<Weight>& graph) {
  EdgeList<Weight> list;
  for (int u = 0; u < graph.vertices(); ++u)
    for (int i = graph.offsets[u]; i < graph.offsets[u + 1]; ++i)
      if (u < graph.targets[i]) list.add(u, graph.targets[i], graph.weights[i]);
  return list;
}

}  // namespace sssp::oracle
