// The generators: sound graphs, the same everywhere and for any number of threads.
#include "graphs.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "catch.hpp"
#include "graph_info.hpp"

using namespace datasets;

namespace {

constexpr int kSizes[] = {0, 1, 2, 3, 4, 5, 31, 32, 33, 64, 1000};

std::string label(GraphShape shape, int n) {
  return describe(shape) + " of " + std::to_string(n) + " vertices";
}

template <typename Weight>
bool same(const CsrGraph<Weight>& a, const CsrGraph<Weight>& b) {
  return a.offsets == b.offsets && a.targets == b.targets && a.weights == b.weights;
}

template <typename Weight>
bool is_sound(const CsrGraph<Weight>& graph) {
  const auto in_range = [&](int target) { return target >= 0 && target < graph.vertices(); };
  const auto fine = [](Weight weight) { return std::isfinite(weight) && weight >= 0; };
  return graph.offsets.front() == 0 && graph.offsets.back() == graph.arcs() &&
         graph.weights.size() == graph.targets.size() && std::ranges::is_sorted(graph.offsets) &&
         std::ranges::all_of(graph.targets, in_range) && std::ranges::all_of(graph.weights, fine);
}

}  // namespace

TEST_CASE("every shape is a sound and undirected graph at every size", "[graphs]") {
  for (const GraphShape shape : kAllGraphShapes)
    for (const int n : kSizes) {
      INFO(label(shape, n));
      const auto graph = make_graph<double>(shape, n, 7);
      REQUIRE(is_sound(graph));
      REQUIRE(is_undirected(graph));
      REQUIRE(graph.vertices() <= n);
    }
}

TEST_CASE("is_undirected sees a missing opposite and another weight", "[graphs]") {
  CsrGraph<float> graph{{0, 1, 2}, {1, 0}, {3, 3}};
  CHECK(is_undirected(graph));
  graph.weights[1] = 4;
  CHECK_FALSE(is_undirected(graph));
  CHECK_FALSE(is_undirected(CsrGraph<float>{{0, 1, 1}, {1}, {3}}));
  CHECK(is_undirected(CsrGraph<float>{{0, 1}, {0}, {3}}));  // a self-loop is its own opposite
}

TEST_CASE("the shapes of a thousand vertices have these checksums on every machine", "[graphs]") {
  const std::pair<GraphShape, std::uint64_t> pinned[] = {
      {GraphShape::rmat, 0x93C3E9367EF105C9},
      {GraphShape::rmat_simple, 0x93BCC7B4027A8A79},
      {GraphShape::uniform, 0x405892587E4C9972},
      {GraphShape::real_weights, 0x10949649AA7C1B40},
      {GraphShape::zero_weights, 0x9471C488ED1DDE94},
      {GraphShape::many_parallel, 0xAC1C1CB87738C59E},
      {GraphShape::grid, 0x8174AEE488216964},
      {GraphShape::road, 0x2D5E36E196D4F753},
      {GraphShape::chain, 0xF999A9FD47CE63C2},
      {GraphShape::scrambled_chain, 0xD007C3B04DD75C67},
      {GraphShape::star, 0x7D55C50D130CCE31},
      {GraphShape::complete, 0x53CB487A1329732D},
      {GraphShape::disconnected, 0xAB00DEB63EDF7112},
      {GraphShape::no_edges, 0xC1936642EBA4EAD7},
  };
  REQUIRE(std::size(pinned) == kAllGraphShapes.size());
  for (const auto& [shape, expected] : pinned) {
    INFO(describe(shape));
    CHECK(checksum(make_graph<float>(shape, 1000, 7)) == expected);
    CHECK(checksum(make_graph<double>(shape, 1000, 7)) == expected);
    if (shape != GraphShape::chain && shape != GraphShape::no_edges && shape != GraphShape::grid &&
        shape != GraphShape::complete)
      CHECK(checksum(make_graph<float>(shape, 1000, 8)) != expected);  // seeds matter
  }
}

TEST_CASE("the number of threads changes nothing", "[graphs]") {
  GraphRecipe recipe = rmat_recipe(14, 3);
  for (const bool simple : {false, true}) {
    recipe.self_loops = recipe.parallel_edges = !simple;
    const auto one = make_graph<float>(recipe, 1);
    for (const int threads : {2, 3, 16}) REQUIRE(same(make_graph<float>(recipe, threads), one));
  }
  recipe.seed = 4;
  CHECK_FALSE(same(make_graph<float>(recipe, 2), make_graph<float>(rmat_recipe(14, 3), 2)));
}

TEST_CASE("RMAT draws the quarters with the probabilities asked for", "[graphs]") {
  const RmatParameters wanted;
  const RmatThresholds thresholds(wanted);
  const RandomStream random = random_stream(1, 1);
  constexpr int kEdges = 200000;
  int counts[2][2] = {};
  for (int i = 0; i < kEdges; ++i) {
    const Edge edge = rmat_edge(static_cast<std::uint64_t>(i), 5, thresholds, random);
    ++counts[edge.from >> 4][edge.to >> 4];  // the quarter at the first level
  }
  const double tolerance = 5 * std::sqrt(0.25 / kEdges);  // five standard deviations
  CHECK(std::abs(counts[0][0] / double{kEdges} - wanted.a) < tolerance);
  CHECK(std::abs(counts[0][1] / double{kEdges} - wanted.b) < tolerance);
  CHECK(std::abs(counts[1][0] / double{kEdges} - wanted.c) < tolerance);
  CHECK(std::abs(counts[1][1] / double{kEdges} - 0.05) < tolerance);
}

TEST_CASE("scrambling renumbers every vertex once", "[graphs]") {
  for (const int n : {1, 2, 3, 7, 8, 9, 1000, 4096}) {
    const Scramble scramble(static_cast<std::uint32_t>(n), random_stream(5, 3));
    std::vector<int> seen(n, 0);
    for (int v = 0; v < n; ++v) ++seen.at(scramble(v));
    CHECK(std::ranges::count(seen, 1) == n);
  }
  const Scramble scramble(1000, random_stream(5, 3));
  int fixed = 0;
  for (int v = 0; v < 1000; ++v) fixed += scramble(v) == v;
  CHECK(fixed < 10);  // one is to be expected
}

TEST_CASE("kinds of weights keep to their values", "[graphs]") {
  GraphRecipe recipe{.kind = GraphKind::uniform, .vertices = 5000};
  const auto info_with = [&](WeightKind kind) {
    recipe.weights = kind;
    return info_of(make_graph<double>(recipe));
  };
  const auto is = [](const GraphInfo& info, double least, double largest, bool whole) {
    return info.least_weight == least && info.largest_weight == largest &&
           info.whole_weights == whole;
  };
  CHECK(is(info_with(WeightKind::unit), 1, 1, true));
  CHECK(is(info_with(WeightKind::integers), 1, 255, true));
  CHECK(is(info_with(WeightKind::zeros_mixed), 0, 255, true));
  const GraphInfo reals = info_with(WeightKind::reals);
  CHECK(reals.least_weight > 0);
  CHECK(reals.largest_weight <= 1);
  CHECK_FALSE(reals.whole_weights);
  recipe.kind = GraphKind::road;
  const GraphInfo lengths = info_with(WeightKind::lengths);
  CHECK(lengths.least_weight >= 10);
  CHECK(lengths.largest_weight <= 268);
}

TEST_CASE("options keep or remove self-loops, parallel edges and directions", "[graphs]") {
  GraphRecipe recipe{.kind = GraphKind::uniform, .vertices = 50, .degree = 100};
  const GraphInfo all = info_of(make_graph<float>(recipe));
  CHECK(all.self_loops > 0);
  CHECK(all.parallel_arcs > 0);
  recipe.self_loops = recipe.parallel_edges = false;
  const GraphInfo simple = info_of(make_graph<float>(recipe));
  CHECK(simple.self_loops == 0);
  CHECK(simple.parallel_arcs == 0);
  CHECK(simple.undirected);  // the lightest of parallel edges stays in both directions
  recipe.directed = true;
  CHECK_FALSE(info_of(make_graph<float>(recipe)).undirected);
}

TEST_CASE("known shapes have known figures", "[graphs]") {
  const auto figures = [](GraphShape shape, int n) {
    return info_of(make_graph<float>(shape, n, 1));
  };
  CHECK(figures(GraphShape::chain, 100).arcs == 198);
  CHECK(figures(GraphShape::scrambled_chain, 100).components == 1);
  CHECK(figures(GraphShape::star, 100).largest_degree == 99);
  CHECK(figures(GraphShape::complete, 100).arcs == 9900);
  CHECK(figures(GraphShape::grid, 100).arcs == 360);  // 10 rows of 9 edges, 10 columns of 9
  CHECK(figures(GraphShape::disconnected, 1000).components >= 253);  // 250 isolated, three parts
  CHECK(figures(GraphShape::no_edges, 100).isolated == 100);
}

TEST_CASE("a recipe of no graph is refused with a sentence", "[graphs]") {
  const auto refuses = [](const GraphRecipe& recipe) {
    CHECK_THROWS_AS(make_graph<double>(recipe), std::invalid_argument);
  };
  CHECK_NOTHROW(make_graph<double>(GraphRecipe{.vertices = 8}));
  refuses({.vertices = -1});
  refuses({.vertices = 7});  // RMAT: no power of two
  refuses({.vertices = 8, .degree = -1});
  refuses({.vertices = 8, .degree = NAN});
  refuses({.vertices = 1 << 30, .degree = 16});  // more than 2^31 - 1 arcs
  refuses({.vertices = 8, .weights = WeightKind::lengths});
  refuses({.vertices = 8, .rmat = {0.9, 0.9, 0.1}});
  refuses({.vertices = 8, .rmat = {NAN, 0.1, 0.1}});
  CHECK_THROWS_AS(make_graph<int>({.vertices = 8, .weights = WeightKind::reals}),
                  std::invalid_argument);
}
