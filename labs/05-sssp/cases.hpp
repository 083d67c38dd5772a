// The graphs and sources with which every search of lab 05 is tested.
#pragma once

#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "case_number.hpp"
#include "graphs.hpp"
#include "inputs.hpp"
#include "judge.hpp"

namespace sssp {

using datasets::CsrGraph;
using datasets::GraphShape;

template <typename Weight>
struct Case {
  std::string label;
  CsrGraph<Weight> graph;
  std::vector<int> sources;
};

template <typename Weight>
using Edges = std::vector<std::tuple<int, int, Weight>>;

/// The undirected graph of n vertices with the given edges {u, v, w}.
template <typename Weight>
CsrGraph<Weight> graph_of(int n, const Edges<Weight>& edges) {
  std::vector<std::vector<std::pair<int, Weight>>> arcs(n);
  for (const auto& [u, v, w] : edges) {
    arcs[u].emplace_back(v, w);
    if (u != v) arcs[v].emplace_back(u, w);
  }
  CsrGraph<Weight> graph;
  for (const auto& leaving : arcs) {
    for (const auto& [target, weight] : leaving) {
      graph.targets.push_back(target);
      graph.weights.push_back(weight);
    }
    graph.offsets.push_back(graph.arcs());
  }
  return graph;
}

template <typename Weight>
CsrGraph<Weight> an_edge() {
  return graph_of<Weight>(2, {{0, 1, 3}});
}

/// Graphs that are small enough to follow on paper, each with one trap.
template <typename Weight>
std::vector<Case<Weight>> drawn_cases() {
  using Limits = std::numeric_limits<Weight>;
  const Weight exact = Weight{2} / Limits::epsilon();  // 2^24 or 2^53: from here on + 1 is lost
  const Weight huge = Limits::max() / 4 * 3, tiny = Limits::denorm_min();
  const auto made = [](const char* label, int n, const Edges<Weight>& edges,
                       std::vector<int> sources) {
    return Case<Weight>{label, graph_of<Weight>(n, edges), std::move(sources)};
  };
  return {
      made("two vertices and an edge", 2, {{0, 1, 3}}, {0, 1}),
      made("two vertices without an edge", 2, {}, {1}),
      made("an edge and a shorter detour", 4, {{0, 1, 10}, {0, 2, 1}, {2, 3, 1}, {3, 1, 1}},
           {0, 1}),
      made("one vertex with a self-loop", 1, {{0, 0, 2}}, {0}),
      made("self-loops, one of weight 0", 3, {{0, 0, 0}, {0, 1, 1}, {1, 1, 5}, {1, 2, 1}}, {0, 2}),
      made("three parallel edges", 3, {{0, 1, 5}, {0, 1, 2}, {0, 1, 7}, {1, 2, 1}}, {0, 2}),
      made("a cycle of weight 0", 5, {{0, 1, 4}, {1, 2, 0}, {2, 3, 0}, {3, 1, 0}}, {0, 3, 4}),
      made("two parts", 5, {{0, 1, 1}, {2, 3, 1}, {3, 4, 1}}, {0, 4}),
      made("sums that round", 4, {{0, 1, exact}, {1, 2, 1}, {2, 3, 1}, {0, 3, exact + 2}}, {0, 3}),
      made("sums beyond integers", 4, {{0, 1, 3e9f}, {1, 2, 3e9f}, {2, 3, 3e9f}}, {0, 2}),
      made("a sum that is infinite", 4, {{0, 1, huge}, {1, 2, huge}, {2, 3, 1}}, {0, 1, 3}),
      made("a sum close to the largest number", 3, {{0, 1, huge}, {1, 2, huge / 4}}, {0, 2}),
      made("the smallest weights", 4, {{0, 1, tiny}, {1, 2, tiny}, {2, 3, tiny}}, {0, 3}),
  };
}

/// Two parts of `half` vertices each. Heavy edges join every vertex of one part to every vertex of
/// the other. Light edges join all vertices inside the first part, and each vertex to the next
/// inside the second: the two parts differ in degrees, and in distances. From the second part,
/// every vertex of the first is reached by one edge.
template <typename Weight>
Case<Weight> two_dense_parts(int half) {
  Edges<Weight> edges;
  for (int u = 0; u < half; ++u) {
    for (int v = u + 1; v < half; ++v) edges.emplace_back(u, v, 200);
    for (int v = half; v < 2 * half; ++v) edges.emplace_back(u, v, Weight(1000 + u * v % 101));
    if (u > 0) edges.emplace_back(half + u - 1, half + u, 1);
  }
  const std::string label = "two dense parts of " + std::to_string(half) + " vertices";
  return {label, graph_of<Weight>(2 * half, edges), {0, 2 * half - 1}};
}

/// The first `width` vertices and the last are all joined with each other: the pairs of segments that are
/// farthest apart, and those next to each other at both ends.
template <typename Weight>
Case<Weight> joined_ends(int n, int width) {
  Edges<Weight> edges;
  const auto vertex = [=](int i) { return i < width ? i : n - 2 * width + i; };
  for (int i = 0; i < 2 * width; ++i)
    for (int j = i + 1; j < 2 * width; ++j) edges.emplace_back(vertex(i), vertex(j), Weight(1));
  return {"a graph whose first and last vertices are joined", graph_of<Weight>(n, edges), {0}};
}

/// A star whose leaves are each farther from the hub than the one before: what a search by distance
/// puts off, it puts off again and again.
template <typename Weight>
Case<Weight> far_leaves(int leaves) {
  Edges<Weight> edges;
  for (int leaf = 1; leaf <= leaves; ++leaf) edges.emplace_back(0, leaf, Weight(1000 * leaf));
  const std::string label = "a star of " + std::to_string(leaves) + " leaves, each farther away";
  return {label, graph_of<Weight>(leaves + 1, edges), {0, leaves}};
}

/// A chain from vertex 0, and a heavy edge from there to a vertex with one more neighbour: that part is
/// put off while the search follows the chain, and nothing but the heavy edge leads there.
template <typename Weight>
Case<Weight> chain_and_heavy_edge(int n) {
  Edges<Weight> edges;
  for (int v = 1; v < n - 2; ++v) edges.emplace_back(v - 1, v, 1);
  edges.emplace_back(0, n - 2, 5 * n);
  edges.emplace_back(n - 2, n - 1, 1);
  const std::string label = "a chain of " + std::to_string(n - 2) + " vertices and a heavy edge";
  return {label, graph_of<Weight>(n, edges), {0}};
}

/// A tree of three levels, all of weight 0: the root has `boughs` children, each of these has
/// `twigs` children, and each twig has one leaf. As many other vertices have no edges. A whole
/// level is reached at once, at the distance of the levels above.
template <typename Weight>
Case<Weight> light_tree(int boughs, int twigs) {
  Edges<Weight> edges;
  int n = 1 + boughs;
  for (int bough = 1; bough <= boughs; ++bough) {
    edges.emplace_back(0, bough, 0);
    for (int i = 0; i < twigs; ++i, n += 2) {
      edges.emplace_back(bough, n, 0);
      edges.emplace_back(n, n + 1, 0);
    }
  }
  const std::string label = "a tree of " + std::to_string(n) + " vertices without any weight";
  return {label, graph_of<Weight>(2 * n, edges), {0}};
}

/// Layers of `width` vertices each, from vertex 0 on. Edges of weight 1 join all vertices of a layer to
/// all of the next: a search comes to one layer in each round, and never comes back.
template <typename Weight>
Case<Weight> layers(int count, int width) {
  Edges<Weight> edges;
  const auto vertex = [=](int layer, int place) { return 1 + layer * width + place; };
  for (int place = 0; place < width; ++place) edges.emplace_back(0, vertex(0, place), 1);
  for (int layer = 1; layer < count; ++layer)
    for (int from = 0; from < width; ++from)
      for (int to = 0; to < width; ++to)
        edges.emplace_back(vertex(layer - 1, from), vertex(layer, to), 1);
  const std::string label =
      std::to_string(count) + " layers of " + std::to_string(width) + " vertices";
  return {label, graph_of<Weight>(1 + count * width, edges), {0}};
}

/// A tree of three levels, in which each vertex above the last level has so many children: with 102
/// a few more vertices and edges than 2^20, and no vertex has many arcs. Weights are whole numbers
/// from 1 to 8.
template <typename Weight>
Case<Weight> wide_tree(int children, std::uint64_t seed) {
  const int parents = 1 + children + children * children;
  const int vertices = 1 + parents * children;
  std::mt19937_64 random(seed);
  std::vector<Weight> up(vertices);  // the weight of the edge to the vertex above
  for (Weight& weight : up) weight = static_cast<Weight>(1 + datasets::below(random, 8));
  CsrGraph<Weight> graph;
  const auto add = [&](int target, Weight weight) {
    graph.targets.push_back(target);
    graph.weights.push_back(weight);
  };
  for (int v = 0; v < vertices; ++v) {
    if (v > 0) add((v - 1) / children, up[v]);
    for (int i = 1; v < parents && i <= children; ++i)
      add(v * children + i, up[v * children + i]);
    graph.offsets.push_back(graph.arcs());
  }
  const std::string label = "a tree of " + std::to_string(vertices) + " vertices";
  return {warpwise::with_case_number(label, seed), std::move(graph), {0}};
}

constexpr std::uint64_t kSources = 6;  // purpose of the stream that sources are drawn from

/// A generated graph. If weights are double, they get digits that no float has, and equal weights
/// become some that differ only in these. Both arcs of an edge keep one weight.
template <typename Weight>
CsrGraph<Weight> with_more_digits(CsrGraph<Weight> graph) {
  if constexpr (std::is_same_v<Weight, double>)
    for (int u = 0; u < graph.vertices(); ++u)
      for (int i = graph.offsets[u]; i < graph.offsets[u + 1]; ++i) {
        const int kind = (u ^ graph.targets[i]) * 5 % 4;
        graph.weights[i] = graph.weights[i] / 3 * (1 + kind * 1e-12);
      }
  return graph;
}

/// The same graph; the arcs of each vertex are in random order, not by their targets.
template <typename Weight>
CsrGraph<Weight> with_shuffled_arcs(CsrGraph<Weight> graph, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (int u = 0; u < graph.vertices(); ++u)
    for (int i = graph.offsets[u + 1] - 1; i > graph.offsets[u]; --i) {
      const int from = graph.offsets[u], count = i - from + 1;
      const int other = from + static_cast<int>(datasets::below(random, count));
      std::swap(graph.targets[i], graph.targets[other]);
      std::swap(graph.weights[i], graph.weights[other]);
    }
  return graph;
}

template <typename Weight>
Case<Weight> generated_case(GraphShape shape, int vertices, std::uint64_t seed) {
  auto graph = with_shuffled_arcs(
      with_more_digits(datasets::make_graph<Weight>(shape, vertices, seed)), seed);
  const int n = graph.vertices();
  const std::string label = warpwise::with_case_number(
      std::string(datasets::describe(shape)) + " of " + std::to_string(n) +
          (n == 1 ? " vertex" : " vertices"),
      seed);
  // From both ends, and from a random vertex, which may be in a part without edges.
  std::vector<int> sources = {0};
  if (n > 1) sources.push_back(n - 1);
  // Messages name the source: it must not tell the seed's remainder.
  if (n > 2)
    sources.push_back(static_cast<int>(datasets::random_stream(seed, kSources).below(0, n)));
  return {label, std::move(graph), std::move(sources)};
}

/// Leaves one source, if this run does not take every pair; the next graph has the next source.
template <typename Weight>
void take_turns(Case<Weight>& one, std::size_t turn) {
  const std::size_t n = one.graph.vertices(), kinds = one.sources.size();
  std::size_t kind = 0;
  std::erase_if(one.sources, [&](int) {
    return !warpwise::takes_turn(n, turn % kinds, kind++, kinds);
  });
}

/// Calls body(case) for the drawn cases, and for every shape at each of these numbers of vertices
/// that is within reach.
template <typename Weight, typename Body>
void for_each_case(const std::vector<int>& sizes, const Body& body) {
  const auto drawn = drawn_cases<Weight>();
  for (std::size_t turn = 0; turn < drawn.size(); ++turn)
    if (warpwise::is_sampled(turn, drawn.size())) body(drawn[turn]);
  for (const std::size_t n : warpwise::within_reach({200})) body(far_leaves<Weight>(n));
  const std::uint64_t first = warpwise::judge().options().seed;
  std::uint64_t seed = first;
  const std::size_t shapes = datasets::kAllGraphShapes.size();
  for (const int n : sizes) {
    if (static_cast<std::size_t>(n) > warpwise::judge().extent().largest) continue;
    for (const GraphShape shape : datasets::kAllGraphShapes) {
      const std::uint64_t turn = seed++;
      if (!warpwise::is_sampled(turn - first, sizes.size() * shapes)) continue;
      auto one = generated_case<Weight>(shape, n, turn);
      take_turns(one, turn);
      body(one);
    }
  }
  // And at a number of vertices that no program knows.
  const auto shape = datasets::kAllGraphShapes[seed % shapes];
  for (const std::size_t n : warpwise::one_by_seed(34, 900)) {
    auto one = generated_case<Weight>(shape, static_cast<int>(n), seed);
    take_turns(one, seed);
    body(one);
  }
}

/// The same for those of a few graphs of some thousand vertices that are within reach, each from one
/// of its sources: on the CPU a search through thousands of rounds takes half a second. The two runs
/// with threads in another order share them. The star's hub has more arcs than a block has threads,
/// and more than a block would sort at once: it has more than 8192.
template <typename Weight, typename Body>
void for_each_large_case(const Body& body) {
  using enum GraphShape;
  const std::uint64_t seed = warpwise::judge().options().seed;
  constexpr std::size_t kRuns = 2;
  const std::size_t run = warpwise::judge().options().order == "random";
  std::size_t turn = seed, graph = 0;
  for (const auto& [shape, n] : {std::pair{rmat, 5000}, std::pair{road, 5000},
                                 std::pair{chain, 1500}, std::pair{scrambled_chain, 2500},
                                 std::pair{grid, 6400}, std::pair{star, 9000}}) {
    if (static_cast<std::size_t>(n) > warpwise::judge().extent().largest) continue;
    if (!warpwise::takes_turn(n, (seed + run) % kRuns, graph++ % kRuns, kRuns)) continue;
    auto one = generated_case<Weight>(shape, n, seed);
    one.sources = {one.sources[turn++ % one.sources.size()]};
    body(one);
  }
  for (const std::size_t n : warpwise::one_beyond_reach(3000)) {
    auto one = generated_case<Weight>(rmat, static_cast<int>(n), seed);
    one.sources.resize(1);
    body(one);
  }
}

/// Calls body(case) once per grading, for a graph with more vertices and edges than 16 bits number.
/// If weights are float, there are also more than a grid of 4096 blocks of 256 threads has threads.
template <typename Weight, typename Body>
void for_a_million(const Body& body) {
  constexpr int kChildren = std::is_same_v<Weight, float> ? 102 : 41;
  static_assert(102 * (1 + 102 + 102 * 102) > 1 << 20 && 41 * (1 + 41 + 41 * 41) > 1 << 16);
  if (!warpwise::once_within_reach({1 << 20}).empty())
    body(wide_tree<Weight>(kChildren, warpwise::judge().options().seed));
}

/// Calls body(case) once per grading, for a hub with more arcs than 16 bits number.
template <typename Weight, typename Body>
void for_a_large_hub(const Body& body) {
  for (const std::size_t n : warpwise::once_within_reach({66'001})) {
    auto one = generated_case<Weight>(GraphShape::star, static_cast<int>(n),
                                      warpwise::judge().options().seed);
    one.sources = {static_cast<int>(n) - 1};
    body(one);
  }
}

/// Calls body(case) once per grading, for a chain on which the search takes thousands of rounds.
template <typename Weight, typename Body>
void for_a_long_chain(const Body& body) {
  for (const std::size_t n : warpwise::once_within_reach({5000})) {
    auto one = generated_case<Weight>(GraphShape::chain, static_cast<int>(n),
                                      warpwise::judge().options().seed);
    one.sources = {0, static_cast<int>(n) - 1};
    body(one);
  }
}

/// Calls body(case) once per grading, for a chain of some thousand vertices from one end: rounds of
/// a frontier have no luck with the order of threads.
template <typename Weight, typename Body>
void for_the_longest_chain(const Body& body) {
  for (const std::size_t n : warpwise::once_within_reach({7003})) {
    auto one = generated_case<Weight>(GraphShape::chain, static_cast<int>(n),
                                      warpwise::judge().options().seed);
    one.sources.resize(1);
    body(one);
  }
}

/// Calls body(case) for trees in which many vertices come closer at once, each with more arcs: from
/// many vertices, and from a single one.
template <typename Weight, typename Body>
void for_many_at_once(const Body& body) {
  body(light_tree<Weight>(8, 4));
  for (const auto& [boughs, twigs] : {std::pair{128, 160}, std::pair{1, 9000}}) {
    const auto one = light_tree<Weight>(boughs, twigs);
    if (static_cast<std::size_t>(one.graph.vertices()) <= warpwise::judge().extent().largest) body(one);
  }
}

// Sizes below and above a warp, a block and the checker's limit. For double, a few sizes are
// enough.
inline const std::vector<int> kSizes = {1, 2, 33, 257, 1000};
inline const std::vector<int> kSizesOfDouble = {2, 257};

}  // namespace sssp
