// The graphs and sources with which every search of lab 05 is tested.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "case_number.hpp"
#include "graphs.hpp"
#include "inputs.hpp"
#include "judge.hpp"
#include "shapes.hpp"

namespace sssp {

using datasets::GraphShape;

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

/// A tree of random edges, and more edges between random vertices: all vertices are in one part,
/// and none is far from another.
template <typename Weight>
Case<Weight> random_case(int n, int edges, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto any = [&](int end) { return static_cast<int>(datasets::below(random, end)); };
  std::vector<int> number(n);
  std::iota(number.begin(), number.end(), 0);
  datasets::shuffle(number, random);
  Edges<Weight> list;
  for (int i = 1; i <= edges; ++i) {
    const int v = i < n ? i : 1 + any(n - 1);
    list.emplace_back(number[v], number[any(v)], static_cast<Weight>(any(50)));
  }
  const std::string label =
      std::to_string(n) + " vertices and " + std::to_string(edges) + " random edges";
  return {warpwise::with_case_number(label, seed), graph_of<Weight>(n, list), {any(n)}};
}

/// Calls body(case) for every number of vertices and every number of edges up to `largest`; see
/// every_size_once().
template <typename Weight, typename Body>
void for_every_number_once(std::size_t largest, const Body& body) {
  std::uint64_t seed = warpwise::judge().options().seed;
  std::mt19937_64 random(seed);
  for (const std::size_t size : warpwise::every_size_once(largest)) {
    const int all = static_cast<int>(size), some = static_cast<int>(datasets::below(random, size));
    body(random_case<Weight>(all + 1, all + some, seed++));
    body(random_case<Weight>(all + 1 - some / 2, all, seed++));
  }
}

/// Calls body(case) for a graph in which no vertex has many arcs: threads that share the work come
/// to a few vertices each, so one that comes to most of them works alone. Only the run under the
/// checker, whose limit is low, counts what they do.
template <typename Weight, typename Body>
void for_many_hands(const Body& body) {
  constexpr std::size_t kLeast = 1000, kMost = 1100, kEdgesOfEach = 8;
  const std::size_t limit = warpwise::judge().extent().largest;
  if (limit < kMost || limit > 2 * kMost) return;
  const std::uint64_t seed = warpwise::judge().options().seed;
  std::mt19937_64 random(seed);
  const std::size_t n = kLeast + datasets::below(random, kMost - kLeast);
  body(random_case<Weight>(static_cast<int>(n), static_cast<int>(kEdgesOfEach * n), seed));
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
  for (const std::size_t n : warpwise::within_reach({200})) {
    body(far_leaves<Weight>(n));
    body(parallel_edges<Weight>(n));
    body(heaviest_leaves<Weight>(n / 4));
  }
  const std::uint64_t first = warpwise::judge().options().seed;
  std::uint64_t seed = first;
  const std::size_t shapes = datasets::kAllGraphShapes.size();
  const auto is_within_reach = [](int n) {
    return static_cast<std::size_t>(n) <= warpwise::judge().extent().largest;
  };
  const std::size_t graphs = std::ranges::count_if(sizes, is_within_reach) * shapes;
  for (const int n : sizes) {
    if (!is_within_reach(n)) continue;
    for (const GraphShape shape : datasets::kAllGraphShapes) {
      const std::uint64_t turn = seed++;
      if (!warpwise::is_sampled(turn - first, graphs)) continue;
      auto one = generated_case<Weight>(shape, n, turn);
      take_turns(one, turn);
      body(one);
    }
  }
  // And at a number of vertices that no program knows.
  const auto shape = datasets::kAllGraphShapes[warpwise::below_by_seed(shapes, seed)];
  for (const std::size_t n : warpwise::one_by_seed(34, 900)) {
    auto one = generated_case<Weight>(shape, static_cast<int>(n), seed);
    take_turns(one, seed);
    body(one);
  }
}

/// The same for those of a few graphs of some thousand vertices that are within reach, each from
/// one of its sources: on the CPU a search through thousands of rounds takes half a second. The two
/// runs with threads in another order share them. The star's hub has more arcs than a block has
/// threads, and more than a block would sort at once: it has more than 8192. They are as many as
/// pieces of any usual size have, and the star has one vertex more: 15 * 2^10 is a multiple of 96,
/// 256, 320, 384 and 1024. The shorter chain has one edge more than whole blocks of such sizes.
template <typename Weight, typename Body>
void for_each_large_case(const Body& body) {
  using enum GraphShape;
  const std::uint64_t seed = warpwise::judge().options().seed;
  constexpr std::size_t kRuns = 2;
  const std::size_t run = warpwise::judge().options().order == "random";
  std::size_t turn = seed, graph = 0;
  for (const auto& [shape, n] : {std::pair{rmat, 5000}, std::pair{road, 5000},
                                 std::pair{chain, 1922}, std::pair{scrambled_chain, 2500},
                                 std::pair{grid, 6400}, std::pair{star, 15361}}) {
    if (static_cast<std::size_t>(n) > warpwise::judge().extent().largest) continue;
    if (!warpwise::takes_turn(n, (seed + run) % kRuns, graph++ % kRuns, kRuns)) continue;
    auto one = generated_case<Weight>(shape, n, seed);
    one.sources = {one.sources[turn++ % one.sources.size()]};
    body(one);
  }
  if (!warpwise::once_within_reach({1 << 12}).empty())
    body(hubs_of_whole_pieces<Weight>(seed));
  for (const std::size_t n : warpwise::one_beyond_reach(3000)) {
    auto one = generated_case<Weight>(rmat, static_cast<int>(n), seed);
    one.sources.resize(1);
    body(one);
  }
  // From the last one of an even number of vertices, and of an odd one: above, chance decides.
  const std::size_t some = 1000 + warpwise::below_by_seed(1000, seed);
  for (const std::size_t n : warpwise::once_within_reach({some, some + 1})) {
    auto one = random_case<Weight>(static_cast<int>(n), static_cast<int>(2 * n), seed);
    one.sources = {static_cast<int>(n) - 1};
    body(one);
  }
}

/// Calls body(case) once per grading, for a graph with more vertices and edges than 16 bits number.
/// If weights are float, there are also more than a grid of 4096 blocks of 256 threads has threads.
/// `steps` as in wide_tree().
template <typename Weight, typename Body>
void for_a_million(const Body& body, int steps = 0) {
  static_assert(102 * (1 + 102 + 102 * 102) > 1 << 20 && 41 * (1 + 41 + 41 * 41) > 1 << 16);
  if (warpwise::once_within_reach({1 << 20}).empty()) return;
  // How many more, by the seed: no program knows how many are enough.
  const std::uint64_t seed = warpwise::judge().options().seed;
  std::mt19937_64 random(seed);
  const int children = std::is_same_v<Weight, float>
                           ? 102 + static_cast<int>(datasets::below(random, 4))
                           : 41 + static_cast<int>(datasets::below(random, 10));
  auto one = wide_tree<Weight>(children, seed, steps);
  // The number of a source has more than 16 bits, too. Searches with float weights begin at such a
  // one among the millions. The last leaf's weight is to be met late, so it is the one before.
  if (std::is_same_v<Weight, double>) one.sources = {one.graph.vertices() - 2};
  body(one);
}

/// Calls body(case) once per grading, for a graph with more vertices and edges than these. How many
/// more depends on the seed.
template <typename Weight, typename Body>
void for_millions(const Body& body, int vertices = 1 << 22, int edges = 1 << 22) {
  if (warpwise::once_within_reach({static_cast<std::size_t>(edges)}).empty()) return;
  const std::uint64_t seed = warpwise::judge().options().seed;
  std::mt19937_64 random(seed);
  const auto above = [&](int least) {
    return least + 1 + static_cast<int>(datasets::below(random, least / 32));
  };
  const int n = above(vertices), parallel = above(edges);
  body(bundles<Weight>(n, parallel, seed));
}

/// Calls body(case) once per grading, for a hub with more arcs than 16 bits number: one arc more
/// than whole pieces of any usual size. How many pieces depends on the seed.
template <typename Weight, typename Body>
void for_a_large_hub(const Body& body) {
  std::mt19937_64 random(warpwise::judge().options().seed);
  constexpr std::size_t kPieces = 768;  // a multiple of 96, 256 and 384
  const std::size_t arcs = kPieces * (86 + datasets::below(random, 5)) + 1;
  for (const std::size_t n : warpwise::once_within_reach({arcs + 1})) {
    auto one = generated_case<Weight>(GraphShape::star, static_cast<int>(n),
                                      warpwise::judge().options().seed);
    one.sources = {static_cast<int>(n) - 1};
    body(one);
  }
}

template <typename Weight>
Case<Weight> chain_of(int n, bool from_both_ends, bool from_the_last) {
  auto one = generated_case<Weight>(GraphShape::chain, n, warpwise::judge().options().seed);
  one.sources = {0, n - 1};
  if (!from_both_ends) one.sources = {from_the_last ? n - 1 : 0};
  return one;
}

/// Calls body(case) once per grading, for a chain of `least` vertices and some more, on which the
/// search takes thousands of rounds; and part(case), which says nothing if it is too slow, for a
/// longer chain. Both lengths are by the seed: no program knows how many rounds are enough. A GPU
/// makes more of them than 16 bits count in a second or two.
template <typename Weight, typename Body, typename Part>
void for_long_chains(int least, bool from_both_ends, const Body& body, const Part& part) {
  if (warpwise::once_within_reach({static_cast<std::size_t>(least)}).empty()) return;
  std::mt19937_64 random(warpwise::judge().options().seed);
  const auto up_to = [&](int most) { return 1 + static_cast<int>(datasets::below(random, most)); };
  const int length = least + up_to(least / 5);
  const int longer = warpwise::kGpu ? 65'600 + up_to(4000) : length + up_to(least);
  body(chain_of<Weight>(length, from_both_ends, false));
  part(chain_of<Weight>(longer, false, from_both_ends));
}

/// The same with one chain alone, from both ends; its length is by the seed.
template <typename Weight, typename Body>
void for_a_long_chain(const Body& body) {
  constexpr int kLeast = 5000, kMost = 7000;
  if (warpwise::once_within_reach({kLeast}).empty()) return;
  std::mt19937_64 random(warpwise::judge().options().seed);
  const int more = static_cast<int>(datasets::below(random, kMost - kLeast));
  body(chain_of<Weight>(kLeast + more, true, false));
}

/// Calls body(case) for trees in which many vertices come closer at once, each with more arcs: from
/// many vertices, and from a single one. The largest number is none to who keeps 16 bits of it.
template <typename Weight, typename Body>
void for_many_at_once(const Body& body) {
  body(light_tree<Weight>(8, 4));
  for (const auto& [boughs, twigs] : {std::pair{128, 512}, std::pair{1, 9000}}) {
    const auto one = light_tree<Weight>(boughs, twigs);
    if (static_cast<std::size_t>(one.graph.vertices()) <= warpwise::judge().extent().largest)
      body(one);
  }
}

/// Calls body(case) once per grading, for a tree in which a sweep may change 2^16 distances before
/// another one changes more.
template <typename Weight, typename Body>
void for_many_changes(const Body& body) {
  constexpr int kBoughs = 128, kTwigs = (1 << 16) / kBoughs;
  if (!warpwise::once_within_reach({kBoughs * kTwigs}).empty())
    body(light_tree<Weight>(kBoughs, kTwigs, true));
}

// Sizes below and above a warp, a block and the checker's limit. For double, a few sizes are
// enough.
inline const std::vector<int> kSizes = {1, 2, 33, 257, 1000};
inline const std::vector<int> kSizesOfDouble = {2, 257};

}  // namespace sssp
