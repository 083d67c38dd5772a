// What lab 05 times: searches in one RMAT graph per size, with 32 arcs per vertex and real weights.
// Each search starts from another vertex, and is compared with Dijkstra's algorithm on one CPU
// core. The graph is prepared and handed over before the clock runs.
#include "bench.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

#include "distances.hpp"
#include "graphs.hpp"
#include "oracle.hpp"
#include "sssp.hpp"

using namespace warpwise;
using namespace sssp;
using oracle::EdgeList;

namespace {

constexpr std::uint64_t kGraphSeed = 1;  // all calls use one graph, each with a new source
constexpr double kArcsPerVertex = 32;

struct TimedGraph {
  explicit TimedGraph(int n)
      : graph(datasets::make_graph<float>(
            datasets::rmat_recipe(std::bit_width(static_cast<unsigned>(n)) - 1, kGraphSeed))),
        label("an RMAT graph of " + std::to_string(n) + " vertices") {}

  /// A vertex that has neighbours: about every third has none, and leaves nothing to search.
  int source(std::uint64_t seed) const {
    std::uint64_t v = datasets::mixed(seed);  // spreads neighbouring seeds, and tells none
    while (graph.offsets[v % graph.vertices()] == graph.offsets[v % graph.vertices() + 1]) ++v;
    return static_cast<int>(v % graph.vertices());
  }

  CsrGraph<float> graph;
  std::string label;
};

using OnGraph = std::shared_ptr<const TimedGraph>;

/// The graph of n vertices. The last graph is kept, because several stages may be timed in turns.
OnGraph timed_graph(std::size_t n) {
  static OnGraph last;
  if (!last || static_cast<std::size_t>(last->graph.vertices()) != n)
    last = std::make_shared<const TimedGraph>(static_cast<int>(n));
  return last;
}

/// A search whose buffer `dist` holds the distance of vertex v at place(v).
template <typename Place>
TimedCall timed(const OnGraph& on, int source, PreparedCall call, const Place& place) {
  const auto distances = [=](const Reply& reply) {
    const auto dist = reply.buffer<float>("dist");
    std::vector<float> placed(dist.size());
    for (std::size_t v = 0; v < dist.size(); ++v) placed[v] = dist[place(v)];
    return placed;
  };
  const auto verify = [=](const Reply& reply) {
    require_distances(reply, on->label, on->graph, source, distances(reply));
  };
  // A path's length is summed from the source on, so that even its rounding is the same for all.
  const auto answer = [=](const Reply& reply, Bytes& placed) {
    const Bytes& dist = reply.content("dist");
    placed.resize(dist.size());
    for (std::size_t v = 0; v < dist.size() / sizeof(float); ++v)
      std::memcpy(&placed[v * sizeof(float)], &dist[place(v) * sizeof(float)], sizeof(float));
  };
  return {std::move(call), verify, [=] { oracle::dijkstra(on->graph, source); }, answer};
}

// ---- searches along a list of edges -------------------------------------------------------------

/// A list of edges that the calls of many searches share.
struct SharedEdges {
  explicit SharedEdges(const EdgeList<float>& list)
      : edges(list.size()), start(list.start), end(list.end), weight(list.weight) {}
  int edges;
  Shared<int> start, end;
  Shared<float> weight;
};

template <typename Entry, typename Place>
MakeCall searches(Entry entry, const OnGraph& on, const SharedEdges& list, const Place& place) {
  return [=](std::uint64_t seed) {
    const int n = on->graph.vertices(), source = on->source(seed);
    PreparedCall call =
        prepare(entry, In("start", list.start), In("end", list.end), In("weight", list.weight),
                list.edges, n, place(source), Out<float>("dist", n));
    return timed(on, source, std::move(call), place);
  };
}

/// Searches along the edges in the order of `edges`.
template <typename Entry>
auto time_sweeps(Entry entry) {
  return [entry](Judge&, std::size_t n) {
    const OnGraph on = timed_graph(n);
    return searches(entry, on, SharedEdges(oracle::edge_list(on->graph)), [](int v) { return v; });
  };
}

/// Searches along the edges as the worker itself arranges them.
MakeCall time_locality(Judge& worker, std::size_t n) {
  const OnGraph on = timed_graph(n);
  const EdgeList<float> list = oracle::edge_list(on->graph);
  const auto edges = static_cast<std::size_t>(list.size());
  const int segment = worker.call(prepare(ENTRY(sssp::segment), n)).value<int>();
  const Reply reply = worker.call(prepare(
      ENTRY(sssp::arrange), In("start", list.start), In("end", list.end), In("weight", list.weight),
      edges, n, segment, Out<int>("label", n), Out<int>("arranged_start", edges),
      Out<int>("arranged_end", edges), Out<float>("arranged_weight", edges)));
  const SharedEdges arranged({reply.buffer<int>("arranged_start"),
                              reply.buffer<int>("arranged_end"),
                              reply.buffer<float>("arranged_weight")});
  const auto label = std::make_shared<const std::vector<int>>(reply.buffer<int>("label"));
  for (const int v : *label)
    if (v < 0 || v >= on->graph.vertices())
      fail(Verdict::wrong_answer, reply.description() + " on " + on->label + ": a label is " +
                                      std::to_string(v) + ", which is not a vertex");
  return searches(ENTRY(sssp::locality), on, arranged, [label](int v) { return label->at(v); });
}

// ---- searches in the CSR ------------------------------------------------------------------------

template <typename Entry>
MakeCall searches(Entry entry, const OnGraph& on, const CsrGraph<float>& graph) {
  const Shared<int> offsets(graph.offsets), targets(graph.targets);
  const Shared<float> weights(graph.weights);
  return [=](std::uint64_t seed) {
    const int n = on->graph.vertices(), source = on->source(seed);
    PreparedCall call =
        prepare(entry, In("offsets", offsets), In("targets", targets), In("weights", weights), n,
                on->graph.arcs(), source, Out<float>("dist", n));
    return timed(on, source, std::move(call), [](int v) { return v; });
  };
}

MakeCall time_frontier(Judge&, std::size_t n) {
  const OnGraph on = timed_graph(n);
  return searches(ENTRY(sssp::frontier), on, on->graph);
}

/// Searches with the lightest arcs first, as the worker itself sorts them.
MakeCall time_delta(Judge& worker, std::size_t n) {
  const OnGraph on = timed_graph(n);
  const CsrGraph<float>& graph = on->graph;
  const Reply reply = worker.call(prepare(
      ENTRY(sssp::lightest_first), In("offsets", graph.offsets), In("targets", graph.targets),
      In("weights", graph.weights), n, graph.arcs(), Out<int>("sorted_targets", graph.arcs()),
      Out<float>("sorted_weights", graph.arcs())));
  return searches(
      ENTRY(sssp::delta), on,
      {graph.offsets, reply.buffer<int>("sorted_targets"), reply.buffer<float>("sorted_weights")});
}

// ---- preparation --------------------------------------------------------------------------------

MakeCall time_edges(Judge&, std::size_t n) {
  const OnGraph on = timed_graph(n);
  const Shared<int> offsets(on->graph.offsets), targets(on->graph.targets);
  const Shared<float> weights(on->graph.weights);
  return [=](std::uint64_t) {
    const std::size_t room = on->graph.arcs() / 2;
    PreparedCall call =
        prepare(ENTRY(sssp::edges), In("offsets", offsets), In("targets", targets),
                In("weights", weights), n, on->graph.arcs(), Out<int>("start", room),
                Out<int>("end", room), Out<float>("weight", room));
    const auto verify = [on](const Reply& reply) {
      const EdgeList<float> right = oracle::edge_list(on->graph);
      const auto start = reply.buffer<int>("start"), end = reply.buffer<int>("end");
      const auto weight = reply.buffer<float>("weight");
      if (reply.value<int>() != right.size() ||
          !std::equal(right.start.begin(), right.start.end(), start.begin()) ||
          !std::equal(right.end.begin(), right.end.end(), end.begin()) ||
          !std::equal(right.weight.begin(), right.weight.end(), weight.begin()))
        fail(Verdict::wrong_answer,
             reply.description() + " on " + on->label + ": not the edges of the graph");
    };
    return TimedCall{std::move(call), verify, nullptr};
  };
}

const BenchSizes kSizes = {
    .cpu = {1 << 8, 1 << 10, 1 << 12, 1 << 14},
    .gpu = {1 << 14, 1 << 16, 1 << 18, 1 << 20},
};
constexpr const char* kUnit = "vertices, 32 arcs each";
constexpr const char* kBaseline = "Dijkstra, one CPU core";

/// Every arc is relaxed once. A search by sweeps does more, because it stops only after a sweep
/// that changed nothing. But a search that leaves arcs out, as `locality` may, can do less than
/// this work, its limit. The list has one edge, 12 bytes, for two arcs; the distances are written
/// once.
Work list_search(std::size_t n) {
  const auto vertices = static_cast<double>(n);
  const double arcs = kArcsPerVertex * vertices;
  return {12 * arcs / 2 + sizeof(float) * vertices, arcs, WorkUnit::arcs};
}

/// The same with a target and a weight for every arc, and an offset for every vertex.
Work csr_search(std::size_t n) {
  const auto vertices = static_cast<double>(n);
  const double arcs = kArcsPerVertex * vertices;
  return {8 * arcs + (sizeof(int) + sizeof(float)) * vertices, arcs, WorkUnit::arcs};
}

/// The CSR is read and the list is written; nothing is relaxed.
Work csr_to_list(std::size_t n) {
  const auto vertices = static_cast<double>(n);
  const double arcs = kArcsPerVertex * vertices;
  return {8 * arcs + sizeof(int) * vertices + 12 * arcs / 2, 0, WorkUnit::none};
}

const BenchRegistration kBenches[] = {
    {"edges", kUnit, "", kSizes, time_edges, csr_to_list},  // searches nothing: has no speedup
    {"relax", kUnit, kBaseline, kSizes, time_sweeps(ENTRY(sssp::relax)), list_search},
    {"restrict", kUnit, kBaseline, kSizes, time_sweeps(ENTRY(sssp::restrict)), list_search},
    {"locality", kUnit, kBaseline, kSizes, time_locality, list_search},
    {"atomic", kUnit, kBaseline, kSizes, time_sweeps(ENTRY(sssp::atomic)), list_search},
    {"frontier", kUnit, kBaseline, kSizes, time_frontier, csr_search},
    {"delta", kUnit, kBaseline, kSizes, time_delta, csr_search},
};

}  // namespace
