// Searches that read the arcs of each vertex, and what `lightest_first` must make of these.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "rounds.hpp"

namespace sssp {

using namespace warpwise;
using oracle::EdgeList;

/// Whether a search comes to few vertices in each of its rounds, as along a chain: there a thread
/// may go through all vertices once a round, to make a list of some for example. Asked of graphs
/// that the run under the checker tries.
template <typename Weight>
bool is_long(const CsrGraph<Weight>& graph, int source) {
  constexpr int kOfEachRound = 16, kMostVertices = 4096;
  if (graph.vertices() > kMostVertices) return false;
  std::vector<int> depth(graph.vertices(), -1), order = {source};
  depth[source] = 0;
  for (std::size_t next = 0; next < order.size(); ++next)
    for (int i = graph.offsets[order[next]]; i < graph.offsets[order[next] + 1]; ++i)
      if (const int v = graph.targets[i]; depth[v] < 0) {
        depth[v] = depth[order[next]] + 1;
        order.push_back(v);
      }
  return kOfEachRound * depth[order.back()] > graph.vertices();
}

template <typename Weight, typename Entry>
PreparedCall prepare_search(Entry entry, const CsrGraph<Weight>& graph, int source) {
  const int n = graph.vertices();
  PreparedCall call =
      prepare(entry, In("offsets", graph.offsets), In("targets", graph.targets),
              In("weights", graph.weights), n, graph.arcs(), source, Out<Weight>("dist", n));
  call.is_work_for_few = is_long(graph, source);
  return call;
}
template <typename Weight, typename Entry>
Reply call_search(Entry entry, const CsrGraph<Weight>& graph, int source) {
  return judge().call(prepare_search(entry, graph, source));
}

template <typename Weight, typename Entry>
auto frontier_check(Entry entry, Patience patience = Patience::full) {
  return [=](const Case<Weight>& one) {
    for (const int source : one.sources)
      check_search(prepare_search(entry, one.graph, source), one, source, Rounds::rounds, patience);
  };
}

/// In layers each arc is relaxed once. A round may also look at all vertices, sum up flags for
/// example; but what relaxes all arcs in each round makes many more accesses. Counted under the
/// checker only.
inline void require_few_relaxations() {
  constexpr std::uint64_t kOfAnArc = 10, kOfAVertex = 64, kOfARound = 40'000;
  // no program knows by its size that it is this graph
  std::mt19937_64 random(judge().options().seed);
  const int count = 38 + static_cast<int>(datasets::below(random, 6));
  const Case<float> one = layers<float>(count, 60 + static_cast<int>(datasets::below(random, 8)));
  const Reply reply = call_search(ENTRY(sssp::frontier), one.graph, one.sources[0]);
  require_distances(reply, one.label, one.graph, one.sources[0], reply.buffer<float>("dist"));
  const LaunchStatistics& counted = reply.statistics();
  const std::uint64_t made = counted.accesses - counted.own_stacks, n = one.graph.vertices();
  const std::uint64_t most =
      kOfAnArc * one.graph.arcs() + (count + 2) * (kOfAVertex * n + kOfARound);
  if (made > most)
    fail(Verdict::wrong_answer,
         at(reply, one.label) + "made " + std::to_string(made) +
             " accesses to memory; to relax only the arcs of vertices that the round before has "
             "brought closer takes at most " + std::to_string(most));
}

/// The same graph with the arcs of every vertex as `lightest_first` sorted them. Checks them, too.
template <typename Weight, typename Entry>
CsrGraph<Weight> sort_and_check(Entry entry, const CsrGraph<Weight>& graph,
                                const std::string& label) {
  const int n = graph.vertices(), arcs = graph.arcs();
  const Reply reply = call(entry, In("offsets", graph.offsets), In("targets", graph.targets),
                           In("weights", graph.weights), n, arcs, Out<int>("sorted_targets", arcs),
                           Out<Weight>("sorted_weights", arcs));
  require_few_bytes_to_host(reply, kRoundsOfPreparation);
  CsrGraph<Weight> sorted = {graph.offsets, reply.template buffer<int>("sorted_targets"),
                             reply.template buffer<Weight>("sorted_weights")};
  for (int u = 0; u < n; ++u) {
    std::vector<std::pair<Weight, int>> right, got;
    for (int i = graph.offsets[u]; i < graph.offsets[u + 1]; ++i) {
      right.emplace_back(graph.weights[i], graph.targets[i]);
      got.emplace_back(sorted.weights[i], sorted.targets[i]);
      if (got.size() > 1 && !(sorted.weights[i - 1] <= sorted.weights[i]))
        fail(Verdict::wrong_answer,
             at(reply, label) + "not in order: among the arcs of vertex " + std::to_string(u) +
                 ", weight " + sssp::show(sorted.weights[i - 1]) + " at " + std::to_string(i - 1) +
                 " is before " + sssp::show(sorted.weights[i]));
    }
    std::sort(right.begin(), right.end());
    std::sort(got.begin(), got.end());
    if (got != right)
      fail(Verdict::wrong_answer,
           at(reply, label) + "vertex " + std::to_string(u) + " has other arcs than before");
  }
  return sorted;
}

/// A star whose hub is its last vertex, with its arcs in order, but for three at the end, of which
/// the last is the lightest of all. Whatever is written must be right; a sort in several launches
/// may lack what other blocks were to make.
inline void check_last_arcs_of_hub(int leaves) {
  CsrGraph<float> star;
  for (int leaf = 0; leaf <= leaves; ++leaf) star.offsets.push_back(leaf);
  star.offsets.push_back(2 * leaves);
  star.targets.assign(leaves, leaves);
  for (int leaf = 0; leaf < leaves; ++leaf) star.targets.push_back(leaf);
  for (const int arc : star.targets) star.weights.push_back(static_cast<float>(arc));
  for (int leaf = 0; leaf < leaves; ++leaf) star.weights[leaf] = static_cast<float>(leaf);
  std::vector<float> sorted = star.weights;
  const std::size_t arcs = sorted.size();
  std::swap(star.weights[arcs - 1], star.weights[arcs - 2]);
  std::rotate(star.weights.begin() + leaves, star.weights.begin() + leaves + 1, star.weights.end());
  std::swap(star.weights[leaves - 1], star.weights[leaves - 2]);
  std::swap(sorted[leaves - 1], sorted[leaves - 2]);
  const PreparedCall sort =
      prepare(ENTRY(sssp::lightest_first), In("offsets", star.offsets), In("targets", star.targets),
              In("weights", star.weights), star.vertices(), arcs, Out<int>("sorted_targets", arcs),
              Out<float>("sorted_weights", arcs));
  std::optional<Reply> reply = judge().call_in_part(with_few_blocks(sort));
  if (!reply || reply->statistics().launches > 1) return;
  // What copies all arcs and then sorts the copy: the hub's block may not have run.
  if (!kGpu && reply->buffer<float>("sorted_weights") == star.weights)
    reply = judge().call_in_part(sort);
  if (!reply) return;
  require_written(*reply,
                  "a star of " + std::to_string(leaves) + " leaves, its arcs nearly in order",
                  reply->buffer<float>("sorted_weights"), sorted);
}

/// What `lightest_first` must make, but for arcs of equal weight.
template <typename Weight>
CsrGraph<Weight> lightest_arcs_first(const CsrGraph<Weight>& graph) {
  CsrGraph<Weight> sorted = graph;
  for (int u = 0; u < graph.vertices(); ++u) {
    std::vector<std::pair<Weight, int>> arcs;
    for (int i = graph.offsets[u]; i < graph.offsets[u + 1]; ++i)
      arcs.emplace_back(graph.weights[i], graph.targets[i]);
    std::sort(arcs.begin(), arcs.end());
    for (int i = graph.offsets[u]; const auto& [weight, target] : arcs)
      sorted.weights[i] = weight, sorted.targets[i++] = target;
  }
  return sorted;
}

template <typename Weight, typename Sort, typename Search>
auto delta_check(Sort sort, Search search) {
  return [=](const Case<Weight>& one) {
    const CsrGraph<Weight> sorted = sort_and_check(sort, one.graph, one.label);
    if (sorted.vertices() < kFewVertices)  // see segment_check()
      sort_and_check(sort, an_edge<Weight>(), "another graph");
    for (const int source : one.sources) {
      const Reply reply = call_search(search, sorted, source);
      const auto dist = reply.template buffer<Weight>("dist");
      require_distances(reply, one.label, sorted, source, dist);
      check_rounds(reply, one, source, dist, Rounds::phases);
    }
  };
}

}  // namespace sssp
