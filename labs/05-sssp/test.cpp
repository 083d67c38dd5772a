// What "correct" means for lab 05, stage by stage. A test's tag is the stage it belongs to.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "cases.hpp"
#include "catch.hpp"
#include "distances.hpp"
#include "inputs.hpp"
#include "launch_check.hpp"
#include "oracle.hpp"
#include "sequence_check.hpp"
#include "sssp.hpp"

using namespace warpwise;
using namespace sssp;
using oracle::EdgeList;

// ---- stage 1 ------------------------------------------------------------------------------------

namespace {

// Without a search: what a loop over the levels of a sum or a sort may copy.
constexpr std::uint64_t kRoundsOfPreparation = 256;

/// The beginning of every message: which call on which graph.
std::string at(const Reply& reply, const std::string& label) {
  return reply.description() + " on " + label + ": ";
}

template <typename Weight, typename Entry>
void check_edges(Entry entry, const CsrGraph<Weight>& graph, const std::string& label) {
  const std::size_t room = graph.arcs() / 2;
  const Reply reply =
      call(entry, In("offsets", graph.offsets), In("targets", graph.targets),
           In("weights", graph.weights), graph.vertices(), graph.arcs(), Out<int>("start", room),
           Out<int>("end", room), Out<Weight>("weight", room));
  const EdgeList<Weight> right = oracle::edge_list(graph);
  require_few_bytes_to_host(reply, kRoundsOfPreparation);
  require_few_launches(reply, graph.vertices() + graph.arcs());
  if (reply.template value<int>() != right.size())
    fail(Verdict::wrong_answer, at(reply, label) + "returned " +
                                    std::to_string(reply.template value<int>()) +
                                    " edges, should be " + std::to_string(right.size()));
  const auto start = reply.template buffer<int>("start"), end = reply.template buffer<int>("end");
  const auto weight = reply.template buffer<Weight>("weight");
  const auto text = [](int u, int v, Weight w) {
    return "{" + std::to_string(u) + ", " + std::to_string(v) + "} of weight " + sssp::show(w);
  };
  for (int e = 0; e < right.size(); ++e)
    if (start[e] != right.start[e] || end[e] != right.end[e] || weight[e] != right.weight[e])
      fail(Verdict::wrong_answer, at(reply, label) + "edge " + std::to_string(e) + " is " +
                                      text(start[e], end[e], weight[e]) + ", should be " +
                                      text(right.start[e], right.end[e], right.weight[e]));
}

template <typename Weight, typename Entry>
auto edges_check(Entry entry) {
  return [=](const Case<Weight>& one) { check_edges(entry, one.graph, one.label); };
}

}  // namespace

TEST_CASE("edges lists every undirected edge once", "[edges]") {
  for_each_case<float>({1, 2, 33, 256, 257, 1025}, edges_check<float>(ENTRY(sssp::edges)));
}
TEST_CASE("edges lists the edges of larger graphs", "[edges]") {
  for_each_large_case<float>(edges_check<float>(ENTRY(sssp::edges)));
}
TEST_CASE("edges lists the edges of a large hub", "[edges]") {
  for_a_large_hub<float>(edges_check<float>(ENTRY(sssp::edges)));
}
/// More vertices would take long with a warp for each.
TEST_CASE("edges lists more than 2^22 edges of more than 2^20 vertices", "[edges]") {
  for_millions<float>(edges_check<float>(ENTRY(sssp::edges)), 1 << 20);
}
TEST_CASE("edges lists more than 2^20 edges with double weights", "[edges]") {
  for_millions<double>(edges_check<double>(ENTRY(sssp::edges_double)), 1 << 17, 1 << 20);
}
TEST_CASE("edges lists edges with double weights", "[edges]") {
  for_each_case<double>(kSizesOfDouble, edges_check<double>(ENTRY(sssp::edges_double)));
}

// ---- stages 2, 3 and 4: sweeps over the list of edges -------------------------------------------

namespace {

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

/// How many arcs a shortest path has, at the vertex where it has most; of several, the one with the fewest
/// counts. Where no update is lost, round k makes all distances right whose paths have k arcs.
template <typename Weight>
int longest_shortest_path(const CsrGraph<Weight>& graph, int source, const std::vector<Weight>& dist) {
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
    require(rounds <= n, "without lost updates n = " + std::to_string(n) + " " + word + "s are enough");
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

/// Makes `call`, and checks the distances and the number of rounds that it returns.
template <typename Weight>
void check_search(const PreparedCall& call, const Case<Weight>& one, int source, Rounds kind,
                  Patience patience = Patience::full) {
  const std::optional<Reply> reply =
      patience == Patience::full ? judge().call(call) : judge().call_in_part(call);
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

template <typename Weight, typename Entry>
void check_long_chains(Entry entry) {
  constexpr int kLength = 5000;
  for_long_chains<Weight>(kLength, true, sweep_check<Weight>(entry, Rounds::sweeps),
                          sweep_check<Weight>(entry, Rounds::sweeps, Patience::little));
}

/// A chain whose edges are in the list in no order. Whatever the order of the threads is, in one sweep
/// a distance goes along an edge more for each that the list happens to have in the right order:
/// along two edges on average. Two sweeps that count as one get twice as far.
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

}  // namespace

TEST_CASE("relax finds the distances", "[relax]") {
  for_each_case<float>(kSizes, sweep_check<float>(ENTRY(sssp::relax), Rounds::sweeps));
}
TEST_CASE("relax finds the distances in larger graphs", "[relax]") {
  for_each_large_case<float>(sweep_check<float>(ENTRY(sssp::relax), Rounds::sweeps));
}
TEST_CASE("relax finds the distances in a graph of 2^20 vertices", "[relax]") {
  for_a_million<float>(sweep_check<float>(ENTRY(sssp::relax), Rounds::sweeps), kSteps);
}
TEST_CASE("relax finds the distances around a large hub", "[relax]") {
  for_a_large_hub<float>(sweep_check<float>(ENTRY(sssp::relax), Rounds::sweeps));
}
TEST_CASE("relax finds the distances among more than 2^22 vertices and edges", "[relax]") {
  for_millions<float>(sweep_check<float>(ENTRY(sssp::relax), Rounds::sweeps));
}
TEST_CASE("relax finds distances of type double among more than 2^20 vertices and edges", "[relax]") {
  for_millions<double>(sweep_check<double>(ENTRY(sssp::relax_double), Rounds::sweeps), 1 << 20,
                       1 << 20);
}
TEST_CASE("relax makes as many sweeps as a long chain needs", "[relax]") {
  check_long_chains<float>(ENTRY(sssp::relax));
}
TEST_CASE("relax finds distances of type double", "[relax]") {
  for_each_case<double>(kSizesOfDouble,
                        sweep_check<double>(ENTRY(sssp::relax_double), Rounds::sweeps));
}

TEST_CASE("restrict finds the distances", "[restrict]") {
  for_each_case<float>(kSizes, sweep_check<float>(ENTRY(sssp::restrict), Rounds::sweeps));
}
TEST_CASE("restrict finds the distances in larger graphs", "[restrict]") {
  for_each_large_case<float>(sweep_check<float>(ENTRY(sssp::restrict), Rounds::sweeps));
}
TEST_CASE("restrict finds the distances in a graph of 2^20 vertices", "[restrict]") {
  for_a_million<float>(sweep_check<float>(ENTRY(sssp::restrict), Rounds::sweeps), kSteps);
}
TEST_CASE("restrict finds the distances around a large hub", "[restrict]") {
  for_a_large_hub<float>(sweep_check<float>(ENTRY(sssp::restrict), Rounds::sweeps));
}
TEST_CASE("restrict finds the distances among more than 2^22 vertices and edges", "[restrict]") {
  for_millions<float>(sweep_check<float>(ENTRY(sssp::restrict), Rounds::sweeps));
}
TEST_CASE("restrict finds distances of type double among more than 2^20 vertices and edges", "[restrict]") {
  for_millions<double>(sweep_check<double>(ENTRY(sssp::restrict_double), Rounds::sweeps), 1 << 20,
                       1 << 20);
}
TEST_CASE("restrict makes as many sweeps as a long chain needs", "[restrict]") {
  check_long_chains<float>(ENTRY(sssp::restrict));
}
TEST_CASE("restrict finds distances of type double", "[restrict]") {
  for_each_case<double>(kSizesOfDouble,
                        sweep_check<double>(ENTRY(sssp::restrict_double), Rounds::sweeps));
}

TEST_CASE("atomic finds the distances", "[atomic]") {
  for_each_case<float>(kSizes, sweep_check<float>(ENTRY(sssp::atomic), Rounds::no_losses));
}
TEST_CASE("atomic finds the distances in larger graphs", "[atomic]") {
  for_each_large_case<float>(sweep_check<float>(ENTRY(sssp::atomic), Rounds::no_losses));
}
TEST_CASE("atomic finds the distances in a graph of 2^20 vertices", "[atomic]") {
  for_a_million<float>(sweep_check<float>(ENTRY(sssp::atomic), Rounds::no_losses), kSteps);
}
TEST_CASE("atomic finds the distances around a large hub", "[atomic]") {
  for_a_large_hub<float>(sweep_check<float>(ENTRY(sssp::atomic), Rounds::no_losses));
}
TEST_CASE("atomic finds the distances among more than 2^22 vertices and edges", "[atomic]") {
  for_millions<float>(sweep_check<float>(ENTRY(sssp::atomic), Rounds::no_losses));
}
TEST_CASE("atomic makes as many sweeps as a long chain needs", "[atomic]") {
  for_a_long_chain<float>(sweep_check<float>(ENTRY(sssp::atomic), Rounds::no_losses));
}
TEST_CASE("atomic finds distances of type double among more than 2^20 vertices and edges", "[atomic]") {
  for_millions<double>(sweep_check<double>(ENTRY(sssp::atomic_double), Rounds::no_losses), 1 << 20,
                       1 << 20);
}
TEST_CASE("atomic finds distances of type double", "[atomic]") {
  for_each_case<double>(kSizesOfDouble,
                        sweep_check<double>(ENTRY(sssp::atomic_double), Rounds::no_losses));
}

TEST_CASE("relax counts every sweep", "[relax]") {
  count_every_sweep<float>(ENTRY(sssp::relax));
}
TEST_CASE("restrict counts every sweep", "[restrict]") {
  count_every_sweep<float>(ENTRY(sssp::restrict));
}
TEST_CASE("atomic counts every sweep", "[atomic]") {
  count_every_sweep<float>(ENTRY(sssp::atomic));
}

// ---- stage 5 ------------------------------------------------------------------------------------

namespace {

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

void require_labels(const std::vector<int>& label, const std::string& where) {
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
                                      ", is not an edge of the list, or is in it less often");
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
  for_each_case<Weight>(sizes, [&](const Case<Weight>& one) {
    for (const int segment : {1 + one.graph.vertices() / 16, 100})
      arrange_and_check(entry, one.graph, segment, one.label);
  });
}

/// What `segment` returns for a graph of n vertices.
int require_segments(int n) {
  const int segment = call(ENTRY(sssp::segment), n).value<int>();
  if (segment < 1 || (n - 1) / segment >= 1024)
    fail(Verdict::wrong_answer, "sssp::segment(" + std::to_string(n) + ") returned " +
                                    std::to_string(segment) +
                                    "; at least 1, and at most 1024 segments are allowed");
  return segment;
}

constexpr int kFewVertices = 40;  // another call between two costs little there

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

}  // namespace

TEST_CASE("arrange sorts the edges by segments", "[locality]") {
  check_arrangements<float>(ENTRY(sssp::arrange), {33, 257});
}
/// As many segments as the contract allows; 16 bits do not number the pairs of two of them.
TEST_CASE("arrange sorts the edges by 1024 segments", "[locality]") {
  constexpr int kVertices = 2048, kSegments = 1024;
  for (const std::size_t n : once_within_reach({kVertices})) {
    const auto one = generated_case<float>(GraphShape::uniform, static_cast<int>(n),
                                           judge().options().seed);
    arrange_and_check(ENTRY(sssp::arrange), one.graph, kVertices / kSegments, one.label);
    const auto ends = joined_ends<float>(kVertices, 50);
    arrange_and_check(ENTRY(sssp::arrange), ends.graph, kVertices / kSegments, ends.label);
  }
}
TEST_CASE("segment makes at most 1024 segments of a graph of any size", "[locality]") {
  for (const int n : {1, 2, 1023, 1025, 1 << 20, (1 << 20) + 1, 3'000'000, (1 << 22) + 1, (1 << 23) - 1,
                      123'456'789, (1 << 30) - 1, 1 << 30})
    require_segments(n);
}
TEST_CASE("locality finds the distances", "[locality]") {
  for_each_case<float>(kSizes, segment_check<float>(ENTRY(sssp::arrange), ENTRY(sssp::locality)));
}
TEST_CASE("locality finds the distances in larger graphs", "[locality]") {
  for_each_large_case<float>(segment_check<float>(ENTRY(sssp::arrange), ENTRY(sssp::locality)));
}
TEST_CASE("locality finds the distances between two dense parts", "[locality]") {
  segment_check<float>(ENTRY(sssp::arrange), ENTRY(sssp::locality))(two_dense_parts<float>(96));
}
TEST_CASE("locality finds the distances in a graph of 2^20 vertices", "[locality]") {
  for_a_million<float>(segment_check<float>(ENTRY(sssp::arrange), ENTRY(sssp::locality)), kSteps);
}
namespace {

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

}  // namespace

TEST_CASE("locality finds the distances among more than 2^22 vertices and edges", "[locality]") {
  for_millions<float>([](const Case<float>& one) {
    const int n = one.graph.vertices();
    const auto list = by_segments(oracle::edge_list(one.graph), require_segments(n));
    check_search(prepare(ENTRY(sssp::locality), In("start", list.start), In("end", list.end),
                         In("weight", list.weight), list.size(), n, 0, Out<float>("dist", n)),
                 one, 0, Rounds::sweeps);
  });
}
TEST_CASE("locality finds the distances around a large hub", "[locality]") {
  for_a_large_hub<float>(segment_check<float>(ENTRY(sssp::arrange), ENTRY(sssp::locality)));
}
TEST_CASE("locality makes as many sweeps as a long chain needs", "[locality]") {
  for_a_long_chain<float>(segment_check<float>(ENTRY(sssp::arrange), ENTRY(sssp::locality)));
}
TEST_CASE("locality finds more distances of type double than 16 bits count", "[locality]") {
  for_a_million<double>(
      segment_check<double>(ENTRY(sssp::arrange_double), ENTRY(sssp::locality_double)));
}
TEST_CASE("locality arranges edges and finds distances of type double", "[locality]") {
  check_arrangements<double>(ENTRY(sssp::arrange_double), {33});
  for_each_case<double>(kSizesOfDouble, segment_check<double>(ENTRY(sssp::arrange_double),
                                                              ENTRY(sssp::locality_double)));
}

// ---- stages 6 and 7: searches in the CSR --------------------------------------------------------

namespace {

template <typename Weight, typename Entry>
PreparedCall prepare_search(Entry entry, const CsrGraph<Weight>& graph, int source) {
  const int n = graph.vertices();
  return prepare(entry, In("offsets", graph.offsets), In("targets", graph.targets),
                 In("weights", graph.weights), n, graph.arcs(), source, Out<Weight>("dist", n));
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

/// In layers each arc is relaxed once. A round may also look at all vertices, sum up flags for example;
/// but what relaxes all arcs in each round makes many more accesses. Counted under the checker only.
void require_few_relaxations() {
  constexpr std::uint64_t kOfAnArc = 10, kOfAVertex = 64, kOfARound = 40'000;
  std::mt19937_64 random(judge().options().seed);  // no program knows by its size that it is this graph
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

/// A star whose hub is its last vertex, with its arcs in order, but for three at the end, of which the last
/// is the lightest of all. Whatever is written must be right; a sort in several launches may lack what other
/// blocks were to make.
void check_last_arcs_of_hub(int leaves) {
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
  require_written(*reply, "a star of " + std::to_string(leaves) + " leaves, its arcs nearly in order",
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

}  // namespace

TEST_CASE("frontier finds the distances", "[frontier]") {
  for_each_case<float>(kSizes, frontier_check<float>(ENTRY(sssp::frontier)));
}
TEST_CASE("frontier relaxes the arcs of those vertices alone that came closer", "[frontier]") {
  require_few_relaxations();
}
TEST_CASE("frontier finds the distances in larger graphs", "[frontier]") {
  for_each_large_case<float>(frontier_check<float>(ENTRY(sssp::frontier)));
}
TEST_CASE("frontier finds the distances in a graph of 2^20 vertices", "[frontier]") {
  for_a_million<float>(frontier_check<float>(ENTRY(sssp::frontier)));
}
TEST_CASE("frontier finds the distances around a large hub", "[frontier]") {
  for_a_large_hub<float>(frontier_check<float>(ENTRY(sssp::frontier)));
}
TEST_CASE("frontier finds the distances among more than 2^22 vertices and edges", "[frontier]") {
  for_millions<float>(frontier_check<float>(ENTRY(sssp::frontier)));
}
TEST_CASE("frontier makes as many rounds as a long chain needs", "[frontier]") {
  for_long_chains<float>(7003, false, frontier_check<float>(ENTRY(sssp::frontier)),
                          frontier_check<float>(ENTRY(sssp::frontier), Patience::little));
}
/// More rounds than 8 bits count, after which a vertex comes closer once more.
TEST_CASE("frontier comes back to a vertex after many rounds", "[frontier]") {
  for (const std::size_t n : once_within_reach({300}))
    frontier_check<float>(ENTRY(sssp::frontier))(chain_and_heavy_edges<float>(static_cast<int>(n)));
}
TEST_CASE("frontier reaches many vertices at once", "[frontier]") {
  for_many_at_once<float>(frontier_check<float>(ENTRY(sssp::frontier)));
}
TEST_CASE("frontier finds distances of type double among more than 2^20 vertices and edges", "[frontier]") {
  for_millions<double>(frontier_check<double>(ENTRY(sssp::frontier_double)), 1 << 20, 1 << 20);
}
TEST_CASE("frontier finds distances of type double", "[frontier]") {
  for_each_case<double>(kSizesOfDouble, frontier_check<double>(ENTRY(sssp::frontier_double)));
}

TEST_CASE("delta sorts arcs and finds the distances", "[delta]") {
  for_each_case<float>(kSizes, delta_check<float>(ENTRY(sssp::lightest_first), ENTRY(sssp::delta)));
}
TEST_CASE("delta finds the distances in larger graphs", "[delta]") {
  for_each_large_case<float>(delta_check<float>(ENTRY(sssp::lightest_first), ENTRY(sssp::delta)));
}
namespace {

/// A phase of many threads that wait for each other takes long on a CPU: a search that is too slow says
/// nothing.
void check_many_phases(const Case<float>& one) {
  const int source = one.sources[0];
  const auto sorted = sort_and_check(ENTRY(sssp::lightest_first), one.graph, one.label);
  const std::optional<Reply> reply =
      judge().call_in_part(prepare_search(ENTRY(sssp::delta), sorted, source));
  if (reply) require_distances(*reply, one.label, sorted, source, reply->buffer<float>("dist"));
}

}  // namespace

/// Thousands of buckets of a vertex each, and a bucket of two thousand rounds.
TEST_CASE("delta makes as many phases as a long chain needs", "[delta]") {
  for_long_chains<float>(2700, false, check_many_phases, check_many_phases);
  for (const std::size_t n : once_within_reach({2100}))
    check_many_phases(weightless_chain<float>(static_cast<int>(n)));
}
/// Its arcs are sorted.
TEST_CASE("delta finds the distances along more than 2^22 edges", "[delta]") {
  for_millions<float>([](const Case<float>& one) {
    check_search(prepare_search(ENTRY(sssp::delta), one.graph, 0), one, 0, Rounds::phases);
  }, 1 << 17);
}
TEST_CASE("delta finds the distances in a graph of 2^20 vertices", "[delta]") {
  for_a_million<float>(delta_check<float>(ENTRY(sssp::lightest_first), ENTRY(sssp::delta)));
}
/// So many arcs that no block holds them at once, and few enough for one thread to sort them.
TEST_CASE("delta sorts the arcs of a large hub", "[delta]") {
  for (const std::size_t n : once_within_reach({34'000})) {
    const auto one = generated_case<float>(GraphShape::star, static_cast<int>(n),
                                           judge().options().seed);
    sort_and_check(ENTRY(sssp::lightest_first), one.graph, one.label);
  }
}
/// More arcs than 16 bits count; how many more, no program knows. Few blocks rank the hub's arcs: among
/// them the first and the last, which are the heaviest. A single thread has the arcs nearly in order.
TEST_CASE("delta sorts more arcs of one vertex than 16 bits count", "[delta]") {
  std::mt19937_64 random(judge().options().seed);
  const std::size_t more = datasets::below(random, 200'000);
  for (const std::size_t n : once_within_reach({70'001 + more})) check_last_arcs_of_hub(static_cast<int>(n));
}
/// Its arcs are sorted. Each leaf is reached by one of them alone, and from afar: all are put off together,
/// by a search with buckets up to half as wide as the heaviest arc.
TEST_CASE("delta finds the distances around a large hub", "[delta]") {
  for_a_large_hub<float>([](const Case<float>& one) {
    Case<float> afar = {one.label, lightest_arcs_first(one.graph), one.sources};
    const float heaviest = std::ranges::max(afar.graph.weights);
    for (float& weight : afar.graph.weights) weight += heaviest;
    for (const int source : afar.sources)
      check_search(prepare_search(ENTRY(sssp::delta), afar.graph, source), afar, source,
                   Rounds::phases);
  });
}
TEST_CASE("delta finds more distances of type double than 16 bits count", "[delta]") {
  for_a_million<double>(
      delta_check<double>(ENTRY(sssp::lightest_first_double), ENTRY(sssp::delta_double)));
}
TEST_CASE("delta comes back to what it has put off", "[delta]") {
  delta_check<float>(ENTRY(sssp::lightest_first), ENTRY(sssp::delta))(even_ring<float>(64));
  for (const std::size_t n : within_reach({500}))
    delta_check<float>(ENTRY(sssp::lightest_first), ENTRY(sssp::delta))(
        chain_and_heavy_edge<float>(static_cast<int>(n)));
  for (const std::size_t n : once_within_reach({300}))
    delta_check<float>(ENTRY(sssp::lightest_first), ENTRY(sssp::delta))(
        chain_and_heavy_edges<float>(static_cast<int>(n)));
}
TEST_CASE("delta reaches many vertices at once", "[delta]") {
  for_many_at_once<float>(delta_check<float>(ENTRY(sssp::lightest_first), ENTRY(sssp::delta)));
}
TEST_CASE("delta sorts arcs and finds distances of type double", "[delta]") {
  for_each_case<double>(kSizesOfDouble, delta_check<double>(ENTRY(sssp::lightest_first_double),
                                                            ENTRY(sssp::delta_double)));
}
