// Draws what a call made of a graph that is small enough to follow on paper.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "oracle.hpp"
#include "sequence_check.hpp"

namespace sssp {

constexpr int kDrawnVertices = 8, kDrawnEdges = 6;

/// An edge, as a drawing shows it; nobody has written one with a poisoned end.
template <typename Weight>
std::string drawn_edge(int u, int v, Weight w) {
  if (warpwise::is_poison(u) || warpwise::is_poison(v) || warpwise::is_poison(w))
    return "unwritten";
  return "{" + std::to_string(u) + ", " + std::to_string(v) + "} " + warpwise::show(w);
}

/// The list that the call left, above the right one; "" if there is none, or if it is long.
template <typename Weight>
std::string draw_lists(const oracle::EdgeList<Weight>& got, const oracle::EdgeList<Weight>& right) {
  if (right.size() == 0 || right.size() > kDrawnEdges) return "";
  const auto row = [&](const oracle::EdgeList<Weight>& list) {
    std::string text;
    for (int e = 0; e < right.size(); ++e)  // there may be room for more
      text += (e ? ", " : "  ") + drawn_edge(list.start[e], list.end[e], list.weight[e]);
    return text;
  };
  return "\n  got     " + row(got) + "\n  expected" + row(right);
}

/// The graph's edges, and the distances above the right ones; "" if the graph is large.
template <typename Weight>
std::string draw_distances(const datasets::CsrGraph<Weight>& graph, const std::vector<Weight>& got,
                           const std::vector<Weight>& right) {
  const auto edges = oracle::edge_list(graph);
  if (graph.vertices() > kDrawnVertices || edges.size() > kDrawnEdges) return "";
  std::string text;
  for (int e = 0; e < edges.size(); ++e)
    text +=
        (e ? ", " : "\n  edges     ") + drawn_edge(edges.start[e], edges.end[e], edges.weight[e]);
  return text + warpwise::drawn(got, right, 0, got.size());
}

}  // namespace sssp
