// What every search must give: right distances, and a number of rounds that the graph allows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "cases.hpp"
#include "distances.hpp"
#include "inputs.hpp"
#include "launch_check.hpp"
#include "oracle.hpp"
#include "sequence_check.hpp"
#include "sssp.hpp"

namespace sssp {

using namespace warpwise;
using oracle::EdgeList;

// Without a search: what a loop over the levels of a sum or a sort may copy.
constexpr std::uint64_t kRoundsOfPreparation = 256;

/// The beginning of every message: which call on which graph.
inline std::string at(const Reply& reply, const std::string& label) {
  return reply.description() + " on " + label + ": ";
}

constexpr int kFewVertices = 40;  // another call between two costs little there

constexpr int kSteps = 16;  // see wide_tree(); about eight sweeps, more than the tree needs

/// What the number means that a search returned.
enum class Rounds {
  phases,     // at least one
  sweeps,     // in one that changes something any number of vertices come closer; the last changes
              // nothing
  no_losses,  // sweeps, of which n are enough
  rounds,     // each brings only neighbours closer of the vertices that the last one brought closer
};

/// What the part of a graph around the source says about the number of rounds. It consists of the
/// vertices at finite distances; only these come closer.
struct Part {
  int depth = 0;         // arcs from the source to the vertex that is furthest by number of arcs
  bool is_tree = false;  // then a vertex comes closer once, when its only path has been gone along
};

template <typename Weight>
Part part_of(const CsrGraph<Weight>& graph, int source, const std::vector<Weight>& dist) {
  std::vector<int> depth(graph.vertices(), -1), order = {source};
  depth[source] = 0;
  std::size_t arcs = 0;
  for (std::size_t next = 0; next < order.size(); ++next) {
    const int u = order[next];
    for (int i = graph.offsets[u]; i < graph.offsets[u + 1]; ++i) {
      const int v = graph.targets[i];
      arcs += v != u;
      if (depth[v] >= 0 || std::isinf(dist[v])) continue;
      depth[v] = depth[u] + 1;
      order.push_back(v);
    }
  }
  return {depth[order.back()], arcs == 2 * (order.size() - 1)};
}

/// How many arcs a shortest path has, at the vertex where it has most; of several, the one with the
/// fewest counts. Where no update is lost, round k makes all distances right whose paths have k
/// arcs.
template <typename Weight>
int longest_shortest_path(const CsrGraph<Weight>& graph, int source,
                          const std::vector<Weight>& dist) {
  std::vector<int> length(graph.vertices(), -1), order = {source};
  length[source] = 0;
  for (std::size_t next = 0; next < order.size(); ++next) {
    const int u = order[next];
    for (int i = graph.offsets[u]; i < graph.offsets[u + 1]; ++i) {
      const int v = graph.targets[i];
      if (length[v] >= 0 || std::isinf(dist[v]) || dist[u] + graph.weights[i] != dist[v]) continue;
      length[v] = length[u] + 1;
      order.push_back(v);
    }
  }
  return length[order.back()];
}

/// Whether threads that share the work come to a few vertices each: there are many arcs, and no
/// vertex has many. In a chain all of it may be one thread's.
template <typename Weight>
bool is_work_for_many(const CsrGraph<Weight>& graph) {
  constexpr int kArcsOfEach = 14, kParts = 8;
  const int n = graph.vertices();
  if (graph.arcs() < kArcsOfEach * n) return false;
  for (int v = 0; v < n; ++v)
    if (graph.offsets[v + 1] - graph.offsets[v] > n / kParts) return false;
  return true;
}

/// The stage is `rejected` if one thread comes to most vertices of such a graph.
template <typename Weight>
void note_work_of_one(const Reply& reply, const CsrGraph<Weight>& graph) {
  constexpr std::size_t kOfEachVertex = 20;  // of a thread that comes to more than half of them
  if (is_work_for_many(graph)) note_work_alone(reply, graph.vertices(), kOfEachVertex);
}

/// Checks the number of sweeps, rounds or phases that a search returned with these distances, which
/// are right.
template <typename Weight>
void check_rounds(const Reply& reply, const Case<Weight>& one, int source,
                  const std::vector<Weight>& dist, Rounds kind) {
  const int rounds = reply.value<int>(), n = one.graph.vertices();
  const auto require = [&](bool holds, const std::string& why) {
    if (!holds)
      fail(Verdict::wrong_answer,
           at(reply, one.label) + "returned " + std::to_string(rounds) + "; " + why);
  };
  const std::string word = kind == Rounds::rounds   ? "round"
                           : kind == Rounds::phases ? "phase"
                                                    : "sweep";
  require(rounds >= 1, "there is at least one " + word);
  note_work_of_one(reply, one.graph);
  const Part part = part_of(one.graph, source, dist);
  // Phases say little about a search, except in a tree: each distance is a bucket at most, and in a
  // bucket no more happens than in a search of the whole part.
  constexpr std::uint64_t kFlags = 8;  // that a round may copy, and some rounds before and after
  if (kind != Rounds::phases) {
    warpwise::require_few_bytes_to_host(reply, kFlags * (rounds + kFlags));
  } else if (part.is_tree) {
    const std::set<Weight> different(dist.begin(), dist.end());
    warpwise::require_few_bytes_to_host(reply, kFlags * different.size() * (part.depth + kFlags));
  }
  if (kind == Rounds::phases) return;
  if (kind != Rounds::rounds) require_hands(reply, one.graph.arcs() / 2);
  const std::string far = "a vertex is " + std::to_string(part.depth) + " arcs from the source, ";
  if (kind == Rounds::rounds)
    require(rounds >= part.depth, far + "and a round goes along one arc");
  else
    require(rounds >= (part.depth > 0 ? 2 : 1),
            "a sweep changed something, and the last sweep changed nothing");
  if (kind != Rounds::sweeps)
    require(rounds <= n,
            "without lost updates n = " + std::to_string(n) + " " + word + "s are enough");
  // One more looks at the last vertices and changes nothing; another may find an empty list.
  const int more = kind == Rounds::rounds ? 2 : 1;
  const auto enough = [=](int arcs) {
    const int all = arcs + more;
    return std::to_string(all) + " " + word + (all == 1 ? " is enough" : "s are enough");
  };
  if (part.is_tree && part.depth > 0)
    require(rounds <= part.depth + more, far + "and in a tree " + enough(part.depth));
  if (part.is_tree && part.depth == 0) require(rounds <= more, "no arc leads on, so " + enough(0));
  if (part.is_tree || kind == Rounds::sweeps) return;
  const int longest = longest_shortest_path(one.graph, source, dist);
  require(rounds <= longest + more, "a shortest path has " + std::to_string(longest) +
                                        " arcs, and without lost updates " + enough(longest));
}

/// Whether a call is made whatever it takes, or says nothing if it takes too long.
enum class Patience { full, little };
constexpr double kLittlePatience = kGpu ? 5 : 3;  // seconds; of a GPU 65,600 rounds take one

/// Makes `call`, and checks the distances and the number of rounds that it returns.
template <typename Weight>
void check_search(const PreparedCall& call, const Case<Weight>& one, int source, Rounds kind,
                  Patience patience = Patience::full) {
  const std::optional<Reply> reply =
      patience == Patience::full ? judge().call(call) : judge().call_in_part(call, kLittlePatience);
  if (!reply) return;
  const auto dist = reply->buffer<Weight>("dist");
  require_distances(*reply, one.label, one.graph, source, dist);
  check_rounds(*reply, one, source, dist, kind);
}

template <typename Weight, typename Entry>
auto sweep_check(Entry entry, Rounds allowed, Patience patience = Patience::full) {
  return [=](const Case<Weight>& one) {
    const EdgeList<Weight> list = oracle::edge_list(one.graph);
    const int n = one.graph.vertices();
    for (const int source : one.sources)
      check_search(prepare(entry, In("start", list.start), In("end", list.end),
                           In("weight", list.weight), list.size(), n, source,
                           Out<Weight>("dist", n)),
                   one, source, allowed, patience);
  };
}

/// `relax` and `restrict` make the same sweeps, and the longer chain takes seconds of a GPU: it is
/// for one of them, by the seed.
template <typename Weight, typename Entry>
void check_long_chains(Entry entry, std::uint64_t number_of_two) {
  constexpr int kLength = 5000;
  const bool has_longer_one = below_by_seed(2) == number_of_two;
  const auto longer = [=](const Case<Weight>& one) {
    if (has_longer_one)
      sweep_check<Weight>(entry, Rounds::sweeps, Patience::little)(one);
  };
  for_long_chains<Weight>(kLength, true, sweep_check<Weight>(entry, Rounds::sweeps), longer);
}

/// A chain whose edges are in the list in no order. Whatever the order of the threads is, in one
/// sweep a distance goes along an edge more for each that the list happens to have in the right
/// order: along two edges on average. Two sweeps that count as one get twice as far.
template <typename Weight, typename Entry>
void count_every_sweep(Entry entry) {
  constexpr int kMostEdgesPerSweep = 3;
  for (const std::size_t n : one_by_seed(500, 900)) {
    const auto one = generated_case<Weight>(datasets::GraphShape::scrambled_chain,
                                            static_cast<int>(n), judge().options().seed);
    const EdgeList<Weight> list = oracle::edge_list(one.graph);
    for (const int source : one.sources) {
      const Reply reply =
          call(entry, In("start", list.start), In("end", list.end), In("weight", list.weight),
               list.size(), one.graph.vertices(), source, Out<Weight>("dist", n));
      const auto dist = reply.template buffer<Weight>("dist");
      require_distances(reply, one.label, one.graph, source, dist);
      const int depth = part_of(one.graph, source, dist).depth, sweeps = reply.value<int>();
      if (sweeps * kMostEdgesPerSweep < depth)
        fail(Verdict::wrong_answer,
             at(reply, one.label) + "returned " + std::to_string(sweeps) + " sweeps; a vertex is " +
                 std::to_string(depth) + " arcs from the source, and sweeps in which each edge is "
                 "relaxed once are more: count every sweep");
    }
  }
}

}  // namespace sssp
