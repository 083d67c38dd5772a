// The CPU's delta-stepping agrees with Dijkstra's algorithm, and the proof on the device accepts
// what is right and nothing else.
#include <limits>

#include "catch.hpp"
#include "delta_stepping.hpp"
#include "device_buffer.hpp"
#include "distances_proof.hpp"
#include "graphs.hpp"
#include "oracle.hpp"
#include "segments.hpp"

using namespace datasets;
using figures::DeltaStepping;
using kit::DeviceBuffer;
using sssp::oracle::dijkstra;

namespace {

template <typename Weight>
bool proved(const CsrGraph<Weight>& graph, int source, const std::vector<Weight>& dist) {
  const DeviceBuffer<int> offsets{std::span(graph.offsets)}, targets{std::span(graph.targets)};
  const DeviceBuffer<Weight> weights{std::span(graph.weights)}, on_device{std::span(dist)};
  return figures::prove_distances<Weight>(
             {offsets.data(), targets.data(), weights.data(), graph.vertices(), graph.arcs()},
             source, on_device.data())
      .right;
}

/// A vertex with neighbours.
int source_in(const CsrGraph<float>& graph) {
  int source = 0;
  while (graph.offsets[source] == graph.offsets[source + 1]) ++source;
  return source;
}

/// 0 - 1 of weight 2, and 2 - 3 of weight 0, joined to 1 by weight 5.
CsrGraph<float> two_pairs() {
  return {{0, 1, 3, 5, 6}, {1, 0, 2, 1, 3, 2}, {2, 2, 5, 5, 0, 0}};
}

}  // namespace

TEST_CASE("delta-stepping on all cores finds Dijkstra's distances", "[searches]") {
  for (const GraphShape shape : kAllGraphShapes)
    for (const int n : {1, 2, 33, 1000})
      for (const int threads : {1, 3}) {
        const auto graph = make_graph<float>(shape, n, 7);
        if (graph.vertices() == 0) continue;
        DeltaStepping<float> team(graph, threads);
        for (const float width : {0.01f, 1.0f, 1e9f})
          for (const int source : {0, graph.vertices() - 1}) {
            INFO(describe(shape) << ", n = " << n << ", bins of " << width << ", " << threads);
            REQUIRE((team.distances(source, width) == dijkstra(graph, source)));
          }
      }
}

TEST_CASE("delta-stepping meets distances beyond its last bin, and infinite sums", "[searches]") {
  const float huge = std::numeric_limits<float>::max() / 4 * 3;
  const CsrGraph<float> graph = {{0, 1, 3, 4}, {1, 0, 2, 1}, {huge, huge, huge, huge}};
  DeltaStepping<float> team(graph, 2);
  REQUIRE(team.distances(0, 1e-30f) == dijkstra(graph, 0));
}

TEST_CASE("another graph's distances are not taken for Dijkstra's", "[searches]") {
  const auto graph = make_graph<float>(rmat_recipe(9, 3));
  auto other = graph;
  for (float& weight : other.weights) weight *= 2;
  DeltaStepping<float> team(other);
  const int source = source_in(graph);
  const std::vector<float> found = team.distances(source, 0.05f);
  CHECK(proved(other, source, found));
  CHECK_FALSE((found == dijkstra(graph, source)));
  CHECK_FALSE(proved(graph, source, found));
}

TEST_CASE("the proof accepts Dijkstra's distances of every shape", "[searches]") {
  for (const GraphShape shape : kAllGraphShapes)
    for (const int n : {1, 2, 33, 1000}) {
      INFO(describe(shape) << " of " << n << " vertices");
      const auto graph = make_graph<float>(shape, n, 7);
      if (graph.vertices() > 0) CHECK(proved(graph, 0, dijkstra(graph, 0)));
      const auto wide = make_graph<double>(shape, n, 7);
      if (wide.vertices() > 0) CHECK(proved(wide, 0, dijkstra(wide, 0)));
    }
}

TEST_CASE("the proof rejects a distance that is too large, too small or none", "[searches]") {
  const auto graph = make_graph<float>(rmat_recipe(9, 3));
  const int source = source_in(graph);
  const std::vector<float> right = dijkstra(graph, source);
  REQUIRE(proved(graph, source, right));
  int reached = 0, far = 0;
  for (int v = 0; v < graph.vertices(); ++v) (std::isinf(right[v]) ? far : reached) = v;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float above = std::nextafter(right[reached], INFINITY);
  const float below = std::nextafter(right[reached], 0.0f);
  for (const float wrong : {above, below, -0.0f, nan, INFINITY}) {
    INFO("dist[" << reached << "] = " << wrong << " instead of " << right[reached]);
    auto dist = right;
    dist[reached] = wrong;
    CHECK_FALSE(proved(graph, source, dist));
  }
  REQUIRE(std::isinf(right[far]));
  auto dist = right;
  dist[far] = 1;
  CHECK_FALSE(proved(graph, source, dist));
}

TEST_CASE("two vertices cannot vouch for each other", "[searches]") {
  REQUIRE(proved(two_pairs(), 0, {0, 2, 7, 7}));
  CHECK_FALSE(proved(two_pairs(), 0, {0, 2, 6, 6}));
  CHECK_FALSE(proved(two_pairs(), 0, {1, 2, 7, 7}));
}

TEST_CASE("edges come by the segment of their end, then of their start", "[searches]") {
  const std::vector<int> start = {0, 3, 2, 0, 1, 2}, end = {1, 1, 3, 2, 0, 0};
  const DeviceBuffer<int> on_start{std::span(start)}, on_end{std::span(end)};
  const DeviceBuffer<int> place(6);
  figures::order_by_segments(on_start.data(), on_end.data(), 6, 4, 2, place.data());
  std::vector<int> order(6);
  place.copy_to(order);
  // Groups (segment of end, of start): 00, 01, 10, 11; those alike in the order of the list.
  REQUIRE(order == std::vector<int>{0, 4, 1, 5, 3, 2});
}
