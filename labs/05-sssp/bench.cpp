// What lab 05 times: searches in one RMAT graph per size, with 32 arcs per vertex and real weights,
// each from another vertex, against Dijkstra's algorithm on one CPU core. The graph is prepared and
// handed over before the clock runs.
#include "bench.hpp"

#include <map>
#include <memory>

#include "distances.hpp"
#include "graphs.hpp"
#include "oracle.hpp"
#include "sssp.hpp"

using namespace warpwise;
using namespace sssp;
using oracle::EdgeList;

namespace {

constexpr std::uint64_t kGraphSeed = 1;  // the graph is the same for all: sources are drawn anew

struct TimedGraph {
  explicit TimedGraph(int n)
      : graph(datasets::make_graph<float>(
            datasets::rmat_recipe(std::bit_width(static_cast<unsigned>(n)) - 1, kGraphSeed))),
        label("an RMAT graph of " + std::to_string(n) + " vertices") {}

  /// A vertex that has neighbours: about every third has none, and its search would be none.
  int source(std::uint64_t seed) const {
    std::uint64_t v = seed * 0x9E3779B97F4A7C15u;  // spreads neighbouring seeds
    while (graph.offsets[v % graph.vertices()] == graph.offsets[v % graph.vertices() + 1]) ++v;
    return static_cast<int>(v % graph.vertices());
  }

  CsrGraph<float> graph;
  std::string label;
};

/// The graph of the size last asked for.
std::shared_ptr<const TimedGraph> timed_graph(std::size_t n) {
  static std::shared_ptr<const TimedGraph> last;
  if (!last || static_cast<std::size_t>(last->graph.vertices()) != n)
    last = std::make_shared<const TimedGraph>(static_cast<int>(n));
  return last;
}

/// A search whose buffer `dist` holds the distances from source, vertex v's at place(v).
template <typename Place>
TimedCall timed(const std::shared_ptr<const TimedGraph>& on, int source, PreparedCall call,
                Place place) {
  const auto verify = [=](const Reply& reply) {
    const auto dist = reply.buffer<float>("dist");
    std::vector<float> placed(dist.size());
    for (std::size_t v = 0; v < dist.size(); ++v) placed[v] = dist[place(v)];
    require_distances(reply, on->label, on->graph, source, placed);
  };
  return {std::move(call), verify, [=] { oracle::dijkstra(on->graph, source); }};
}

/// Edges as calls share them.
struct SharedEdges {
  explicit SharedEdges(const EdgeList<float>& list)
      : edges(list.size()), start(list.start), end(list.end), weight(list.weight) {}
  int edges;
  Shared<int> start, end;
  Shared<float> weight;
};

template <typename Entry>
PreparedCall sweeps(Entry entry, const SharedEdges& list, int n, int source) {
  return prepare(entry, In("start", list.start), In("end", list.end), In("weight", list.weight),
                 list.edges, n, source, Out<float>("dist", n));
}

/// Sweeps over the edges as `edges` lists them.
template <typename Entry>
auto time_sweeps(Entry entry) {
  return [entry](std::size_t n, std::uint64_t seed) {
    static std::map<std::size_t, SharedEdges> lists;
    const auto on = timed_graph(n);
    if (!lists.contains(n)) {
      lists.clear();
      lists.emplace(n, SharedEdges(oracle::edge_list(on->graph)));
    }
    const int source = on->source(seed);
    return timed(on, source, sweeps(entry, lists.at(n), static_cast<int>(n), source),
                 [](std::size_t v) { return v; });
  };
}

const BenchSizes kSizes = {
    .cpu = {1 << 8, 1 << 10, 1 << 12, 1 << 14},
    .gpu = {1 << 14, 1 << 16, 1 << 18, 1 << 20},
};
constexpr const char* kUnit = "vertices, 32 arcs each";
constexpr const char* kBaseline = "Dijkstra, one CPU core";

const BenchRegistration kBenches[] = {
    {"relax", kUnit, kBaseline, kSizes, time_sweeps(ENTRY(sssp::relax))},
};

}  // namespace
