// What `arrange` must give, and a search in what it gave.
#pragma once

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "rounds.hpp"

namespace sssp {

using namespace warpwise;
using oracle::EdgeList;

/// What `arrange` made from a graph.
template <typename Weight>
struct Arranged {
  std::vector<int> label;
  EdgeList<Weight> list;
};

template <typename Weight>
std::string show_edge(int u, int v, Weight w) {
  return "{" + std::to_string(u) + ", " + std::to_string(v) + "} of weight " + sssp::show(w);
}

/// An edge with the smaller vertex in front.
template <typename Weight>
std::tuple<int, int, Weight> one_way(int u, int v, Weight w) {
  return {std::min(u, v), std::max(u, v), w};
}

inline void require_labels(const std::vector<int>& label, const std::string& where) {
  std::vector<int> owner(label.size(), -1);
  for (std::size_t v = 0; v < label.size(); ++v) {
    const std::string text =
        where + "label[" + std::to_string(v) + "] = " + std::to_string(label[v]);
    if (is_poison(label[v]))
      fail(Verdict::wrong_answer,
           where + "nothing was written to label[" + std::to_string(v) + "]");
    if (label[v] < 0 || label[v] >= static_cast<int>(label.size()))
      fail(Verdict::wrong_answer, text + " is not a vertex of " + std::to_string(label.size()));
    if (owner[label[v]] >= 0)
      fail(Verdict::wrong_answer,
           text + ", the same as label[" + std::to_string(owner[label[v]]) + "]");
    owner[label[v]] = static_cast<int>(v);
  }
}

/// Checks that the arranged list has the edges of `list` under their new numbers, each once.
template <typename Weight>
void require_same_edges(const EdgeList<Weight>& list, const Arranged<Weight>& arranged,
                        const std::string& where) {
  const EdgeList<Weight>& got = arranged.list;
  std::vector<std::tuple<int, int, Weight>> given, returned;
  for (int e = 0; e < list.size(); ++e) {
    given.push_back(
        one_way(arranged.label[list.start[e]], arranged.label[list.end[e]], list.weight[e]));
    returned.push_back(one_way(got.start[e], got.end[e], got.weight[e]));
  }
  std::sort(given.begin(), given.end());
  std::sort(returned.begin(), returned.end());
  if (given == returned) return;
  std::map<std::tuple<int, int, Weight>, int> left;
  for (const auto& edge : given) ++left[edge];
  for (int e = 0; e < got.size(); ++e)
    if (left[one_way(got.start[e], got.end[e], got.weight[e])]-- == 0)
      fail(Verdict::wrong_answer, where + "arranged edge " + std::to_string(e) + ", " +
                                      show_edge(got.start[e], got.end[e], got.weight[e]) +
                                      ", is not an edge of the list, or is in it less often" +
                                      draw_arrangement(list, arranged.label, got));
}

template <typename Weight>
void require_by_segments(const EdgeList<Weight>& list, int segment, const std::string& where) {
  const auto segments = [&](int e) {
    return std::pair{list.end[e] / segment, list.start[e] / segment};
  };
  const auto text = [&](int e) {
    return "edge " + std::to_string(e) + " leads from segment " +
           std::to_string(segments(e).second) + " to segment " + std::to_string(segments(e).first);
  };
  for (int e = 1; e < list.size(); ++e)
    if (segments(e) < segments(e - 1))
      fail(Verdict::wrong_answer, where + "not in order: " + text(e - 1) + ", " + text(e));
}

template <typename Weight, typename Entry>
Arranged<Weight> arrange_and_check(Entry entry, const CsrGraph<Weight>& graph, int segment,
                                   const std::string& label) {
  const EdgeList<Weight> list = oracle::edge_list(graph);
  const int n = graph.vertices(), edges = list.size();
  const Reply reply =
      call(entry, In("start", list.start), In("end", list.end), In("weight", list.weight), edges, n,
           segment, Out<int>("label", n), Out<int>("arranged_start", edges),
           Out<int>("arranged_end", edges), Out<Weight>("arranged_weight", edges));
  Arranged<Weight> arranged = {
      reply.template buffer<int>("label"),
      {reply.template buffer<int>("arranged_start"), reply.template buffer<int>("arranged_end"),
       reply.template buffer<Weight>("arranged_weight")}};
  const std::string where = at(reply, label + ", segments of " + std::to_string(segment));
  require_few_bytes_to_host(reply, kRoundsOfPreparation);
  require_labels(arranged.label, where);
  require_same_edges(list, arranged, where);
  require_by_segments(arranged.list, segment, where);
  return arranged;
}

template <typename Weight, typename Entry>
void check_arrangements(Entry entry, const std::vector<int>& sizes) {
  // As floats, 107 times 1 / 107 is less than 1: who multiplies gets another segment. A run that
  // tries few graphs takes one of the two for each, because racecheck makes a call a hundred times
  // as long.
  const bool tries_all = judge().extent().at_most == SIZE_MAX;
  std::size_t graph = 0;
  for_each_case<Weight>(sizes, [&](const Case<Weight>& one) {
    const int segments[] = {1 + one.graph.vertices() / 16, 107};
    const std::size_t only = graph++ % 2;
    for (std::size_t i = 0; i < 2; ++i)
      if (tries_all || i == only) arrange_and_check(entry, one.graph, segments[i], one.label);
  });
}

/// What `segment` returns for a graph of n vertices.
inline int require_segments(int n) {
  const int segment = call(ENTRY(sssp::segment), n).value<int>();
  if (segment < 1 || (n - 1) / segment >= 1024)
    fail(Verdict::wrong_answer, "sssp::segment(" + std::to_string(n) + ") returned " +
                                    std::to_string(segment) +
                                    "; at least 1, and at most 1024 segments are allowed");
  return segment;
}

template <typename Weight, typename Arrange, typename Search>
auto segment_check(Arrange arrange, Search search) {
  return [=](const Case<Weight>& one) {
    const int n = one.graph.vertices();
    const int segment = require_segments(n);
    const auto [labels, list] = arrange_and_check(arrange, one.graph, segment, one.label);
    // The search knows its arguments alone: nothing may be left of what was arranged last.
    if (n < kFewVertices)
      arrange_and_check(arrange, an_edge<Weight>(), require_segments(2), "another graph");
    for (const int source : one.sources) {
      const Reply reply =
          call(search, In("start", list.start), In("end", list.end), In("weight", list.weight),
               list.size(), n, labels[source], Out<Weight>("dist", n));
      const auto dist = reply.template buffer<Weight>("dist");
      std::vector<Weight> placed;
      for (const int v : labels) placed.push_back(dist[v]);
      require_distances(reply, one.label, one.graph, source, placed);
      check_rounds(reply, one, source, placed, Rounds::sweeps);
    }
  };
}

/// The same edges, some of them turned round by the seed: the search may not know in which
/// direction its own `arrange` puts them.
template <typename Weight>
EdgeList<Weight> in_either_direction(EdgeList<Weight> list) {
  std::mt19937_64 random(judge().options().seed);
  for (int e = 0; e < list.size(); ++e)
    if (datasets::below(random, 2) == 0) std::swap(list.start[e], list.end[e]);
  return list;
}

/// The list in the order that `arrange` must make, with all vertices under their own numbers.
template <typename Weight>
EdgeList<Weight> by_segments(const EdgeList<Weight>& list, int segment) {
  std::vector<int> order(list.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return std::pair(list.end[a] / segment, list.start[a] / segment) <
           std::pair(list.end[b] / segment, list.start[b] / segment);
  });
  EdgeList<Weight> arranged;
  for (const int e : order) arranged.add(list.start[e], list.end[e], list.weight[e]);
  return arranged;
}

}  // namespace sssp
