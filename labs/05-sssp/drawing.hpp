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

/// The first edges of a list, in one line.
template <typename Weight>
std::string drawn_edges(const oracle::EdgeList<Weight>& list, int count) {
  std::string text;
  for (int e = 0; e < count; ++e)
    text += (e ? ", " : "  ") + drawn_edge(list.start[e], list.end[e], list.weight[e]);
  return text;
}

/// The list that the call left, above the right one; "" if there is none, or if it is long.
template <typename Weight>
std::string draw_lists(const oracle::EdgeList<Weight>& got, const oracle::EdgeList<Weight>& right) {
  if (right.size() == 0 || right.size() > kDrawnEdges) return "";
  return "\n  got     " + drawn_edges(got, right.size()) +  // there may be room for more
         "\n  expected" + drawn_edges(right, right.size());
}

/// The list that was given, the labels, and the list with which the call came back; "" if it is
/// long.
template <typename Weight>
std::string draw_arrangement(const oracle::EdgeList<Weight>& given, const std::vector<int>& label,
                             const oracle::EdgeList<Weight>& arranged) {
  if (label.size() > kDrawnVertices || given.size() > kDrawnEdges) return "";
  std::string labels;
  for (std::size_t v = 0; v < label.size(); ++v)
    labels += (v ? ", " : "  ") + std::to_string(v) + " is " + std::to_string(label[v]);
  return "\n  edges   " + drawn_edges(given, given.size()) + "\n  labels  " + labels +
         "\n  got     " + drawn_edges(arranged, given.size());
}

/// The graph's edges, and the distances above the right ones; "" if the graph is large.
template <typename Weight>
std::string draw_distances(const datasets::CsrGraph<Weight>& graph, const std::vector<Weight>& got,
                           const std::vector<Weight>& right) {
  const auto edges = oracle::edge_list(graph);
  if (graph.vertices() > kDrawnVertices || edges.size() > kDrawnEdges) return "";
  const std::string row = edges.size() > 0 ? "\n  edges   " + drawn_edges(edges, edges.size()) : "";
  return row + warpwise::drawn(got, right, 0, got.size());
}

}  // namespace sssp
