// Checks distances by a proof that needs no second search, and explains what is wrong with them.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "drawing.hpp"
#include "oracle.hpp"
#include "sequence_check.hpp"

namespace sssp {

using datasets::CsrGraph;

/// Distances are right if and only if
///   no edge is violated, which means dist[v] <= dist[u] + w for every arc, and dist[source] = 0:
///   then no distance is too large; and
///   every vertex at a finite distance is reached from the source over tight arcs, which are arcs
///   with dist[u] + w = dist[v]: then each distance is the length of a path, and none is too small.
/// It is not enough that every vertex has a tight arc into it: two vertices joined by weight 0
/// could prove each other. Time and memory are linear in the graph.
template <typename Weight>
bool are_distances(const CsrGraph<Weight>& graph, int source, const std::vector<Weight>& dist) {
  std::vector<char> reached(graph.vertices(), 0);
  std::vector<int> open = {source};
  reached[source] = 1;
  if (!(dist[source] == 0)) return false;
  while (!open.empty()) {
    const int u = open.back();
    open.pop_back();
    for (int i = graph.offsets[u]; i < graph.offsets[u + 1]; ++i) {
      const int v = graph.targets[i];
      const Weight over_u = dist[u] + graph.weights[i];
      if (!(dist[v] <= over_u)) return false;  // also when dist[v] is NaN
      if (dist[v] != over_u || std::isinf(over_u) || reached[v]) continue;
      reached[v] = 1;
      open.push_back(v);
    }
  }
  for (int v = 0; v < graph.vertices(); ++v)
    if (std::signbit(dist[v]) || (!reached[v] && dist[v] != INFINITY)) return false;
  return true;
}

inline std::string show(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}
using warpwise::show;

/// Why v's distance is not `right`, from the distances of its neighbours.
template <typename Weight>
std::string explain(const CsrGraph<Weight>& graph, int source, const std::vector<Weight>& dist,
                    const std::vector<Weight>& right, int v) {
  const auto at = [](int vertex, Weight value) {
    return "dist[" + std::to_string(vertex) + "] = " + show(value);
  };
  if (warpwise::is_poison(dist[v])) return "nothing was written there";
  if (v == source) return "it is the source";
  if (std::isinf(right[v])) return "no path leads there";
  if (!(dist[v] > right[v])) return "no path is this short";
  for (int i = graph.offsets[v]; i < graph.offsets[v + 1]; ++i) {
    const int u = graph.targets[i];
    if (right[u] + graph.weights[i] != right[v]) continue;
    const std::string edge = "the edge {" + std::to_string(u) + ", " + std::to_string(v) +
                             "} of weight " + show(graph.weights[i]);
    if (dist[u] == right[u]) return edge + " is not relaxed: " + at(u, dist[u]) + " is right";
    return "its path ends with " + edge + ", and " + at(u, dist[u]) + " should be " +
           show(right[u]);
  }
  return "";
}

/// Ends the test case with `wrong answer` unless dist holds the distances from source.
template <typename Weight>
void require_distances(const warpwise::Reply& reply, const std::string& label,
                       const CsrGraph<Weight>& graph, int source, const std::vector<Weight>& dist) {
  using warpwise::Verdict;
  if (are_distances(graph, source, dist)) return;
  const std::vector<Weight> right = oracle::dijkstra(graph, source);
  int v = 0, wrong = 0;
  for (int u = graph.vertices() - 1; u >= 0; --u)
    if (warpwise::bits(dist[u]) != warpwise::bits(right[u])) v = u, ++wrong;
  const std::string where =
      reply.description() + " on " + label + ", source " + std::to_string(source) + ": ";
  if (!wrong) warpwise::fail(Verdict::infrastructure_error, where + "oracle and proof disagree");
  warpwise::fail(Verdict::wrong_answer,
                 where + "dist[" + std::to_string(v) + "] = " + show(dist[v]) + ", should be " +
                     show(right[v]) + ": " + explain(graph, source, dist, right, v) + " (" +
                     std::to_string(wrong) + " of " + std::to_string(graph.vertices()) +
                     " distances are wrong)" + draw_distances(graph, dist, right));
}

}  // namespace sssp
