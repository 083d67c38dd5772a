// Graphs that are made by hand for the tests of lab 05, each with its trap.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "case_number.hpp"
#include "graphs.hpp"

namespace sssp {

using datasets::CsrGraph;

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

/// The source is near to an eighth of the vertices, of which one leads to a hub. To the hub the
/// leaves are nearer, and their arcs come first, but no path leads over these: a vertex that looks
/// for the nearest of its neighbours has to look at all its arcs.
template <typename Weight>
Case<Weight> hub_behind_leaves(int leaves) {
  const int near = leaves / 8, hub = near + 1;
  Edges<Weight> edges;
  for (int v = 1; v <= near; ++v) edges.emplace_back(0, v, static_cast<Weight>(0.001));
  for (int leaf = 0; leaf < leaves; ++leaf) edges.emplace_back(hub, hub + 1 + leaf, Weight{1});
  edges.emplace_back(near / 2, hub, Weight{2});
  return {"a hub of " + std::to_string(leaves) + " leaves, which are nearer than the source",
          graph_of<Weight>(hub + leaves + 1, edges), {0}};
}

/// The source is at distance 0 from `near` vertices, and from each of these a heavy edge leads to a
/// leaf: the search puts off all leaves together. A ring of light edges, which it never reaches,
/// has so many vertices that those at distance 0 are few of all. The arcs are sorted.
template <typename Weight>
Case<Weight> leaves_put_off(int near) {
  const int ring = 16 * near, n = 1 + 2 * near + ring;
  Edges<Weight> edges;
  for (int v = 1; v <= near; ++v) {
    edges.emplace_back(0, v, Weight{0});
    edges.emplace_back(v, near + v, Weight(1000 + v % 4));
  }
  for (int i = 0; i < ring; ++i) edges.emplace_back(n - 1 - i, n - 1 - (i + 1) % ring, Weight{1});
  return {std::to_string(near) + " leaves at the end of heavy edges, beside a ring of " +
              std::to_string(ring) + " vertices",
          graph_of<Weight>(n, edges), {0}};
}

/// A star whose weights differ from 1 in a single bit each: that may be in any part of a number.
template <typename Weight>
Edges<Weight> weights_of_two_bits() {
  Edges<Weight> edges = {{0, 1, 1}};
  for (Weight bit = Weight{1} / 2; Weight{1} + bit > 1; bit /= 2)
    edges.emplace_back(0, static_cast<int>(edges.size()) + 1, 1 + bit);
  return edges;
}

/// Graphs that are small enough to follow on paper, each with one trap.
template <typename Weight>
std::vector<Case<Weight>> drawn_cases() {
  using Limits = std::numeric_limits<Weight>;
  const Weight exact = Weight{2} / Limits::epsilon();  // 2^24 or 2^53: from here on + 1 is lost
  const Weight huge = Limits::max() / 4 * 3, tiny = Limits::denorm_min();
  const Weight most = Limits::max();
  const Weight last = Limits::epsilon();  // of 1
  const auto made = [](const char* label, int n, const Edges<Weight>& edges,
                       std::vector<int> sources) {
    return Case<Weight>{label, graph_of<Weight>(n, edges), std::move(sources)};
  };
  return {
      made("two vertices and an edge", 2, {{0, 1, 3}}, {0, 1}),
      made("two vertices without an edge", 2, {}, {1}),
      made("an edge away from the source", 3, {{0, 1, 3}}, {2}),
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
      made("edges of the largest weight", 4, {{0, 1, most}, {1, 2, 0}, {1, 3, most}}, {0, 2}),
      made("a sum close to the largest number", 3, {{0, 1, huge}, {1, 2, huge / 4}}, {0, 2}),
      made("the smallest weights", 4, {{0, 1, tiny}, {1, 2, tiny}, {2, 3, tiny}}, {0, 3}),
      made("small multiples of the smallest weight", 4,
           {{0, 1, 4 * tiny}, {0, 2, 3 * tiny}, {0, 3, tiny}, {3, 2, tiny}, {2, 1, tiny}}, {0, 1}),
      made("weights that differ in their last bits", 5,
           {{0, 1, 1 + 2 * last}, {0, 2, 1 + last}, {0, 3, 1}, {1, 4, 1}, {2, 4, 1}, {3, 4, 1}},
           {0, 4}),
      made("a star whose weights differ in one bit each",
           static_cast<int>(weights_of_two_bits<Weight>().size()) + 1,
           weights_of_two_bits<Weight>(), {0, 1}),
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

/// The first `width` vertices and the last are all joined with each other: the pairs of segments
/// that are farthest apart, and those next to each other at both ends.
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

/// A star of which every third edge has the largest weight, to leaves that have another edge: what
/// fills up a list of arcs to be sorted may not look like one of them.
template <typename Weight>
Case<Weight> heaviest_leaves(int leaves) {
  Edges<Weight> edges;
  for (int leaf = 1; leaf <= leaves; ++leaf) {
    const bool is_heavy = leaf % 3 == 0;
    const Weight light = static_cast<Weight>(leaf * 7 % 5);
    edges.emplace_back(0, leaf, is_heavy ? std::numeric_limits<Weight>::max() : light);
    if (is_heavy) edges.emplace_back(leaf - 1, leaf, 1);
  }
  const std::string label =
      "a star of " + std::to_string(leaves) + " leaves, many at the end of the heaviest edges";
  return {label, graph_of<Weight>(leaves + 1, edges), {0, leaves}};
}

/// Two vertices with many edges, in no order of their weights. Threads that look at all of them at
/// once find the other vertex at infinity, and one distance is the least: what loses it needs
/// another sweep.
template <typename Weight>
Case<Weight> parallel_edges(int count) {
  Edges<Weight> edges;
  for (int i = 0; i < count; ++i) edges.emplace_back(0, 1, Weight(1 + (i * 73 + 31) % 199));
  return {"two vertices and " + std::to_string(count) + " edges", graph_of<Weight>(2, edges), {0}};
}

/// Hubs in a row whose numbers of arcs are powers of two, and three times these: whoever has one
/// kernel for up to so many arcs and another for more, or works in pieces, ends at such a number.
/// Two hubs share a leaf. The arcs of each hub are in no order of weight.
template <typename Weight>
Case<Weight> hubs_of_whole_pieces(std::uint64_t seed) {
  constexpr int kLargest = 1 << 12;
  std::mt19937_64 random(seed);
  const auto weight = [&] { return static_cast<Weight>(1 + datasets::below(random, 1000)); };
  Edges<Weight> edges;
  int n = 0;
  for (int part = 32; part <= kLargest / 2; part *= 2)
    for (const int degree : {2 * part, 3 * part}) {
      const int hub = n++;
      if (hub > 0) edges.emplace_back(hub - 1, hub, weight());
      for (int arc = hub > 0; arc < degree; ++arc) edges.emplace_back(hub, n++, weight());
    }
  const std::string label =
      "hubs of 64, 96, 128 arcs and so on, to " + std::to_string(kLargest / 2 * 3);
  return {warpwise::with_case_number(label, seed), graph_of<Weight>(n, edges), {1}};
}

/// A chain in which all vertices are at distance 0, each a round after the one before.
template <typename Weight>
Case<Weight> weightless_chain(int n) {
  Edges<Weight> edges;
  for (int v = 1; v < n; ++v) edges.emplace_back(v - 1, v, 0);
  const std::string label = "a chain of " + std::to_string(n) + " vertices without any weight";
  return {label, graph_of<Weight>(n, edges), {n - 1}};
}

/// A ring in which all edges have weight 2, so that distances lie on the bounds of buckets: also of
/// those that are as wide as the mean weight over the mean degree.
template <typename Weight>
Case<Weight> even_ring(int n) {
  Edges<Weight> edges;
  for (int v = 0; v < n; ++v) edges.emplace_back(v, (v + 1) % n, 2);
  return {"a ring of " + std::to_string(n) + " vertices, all weights 2",
          graph_of<Weight>(n, edges),
          {0}};
}

/// A chain from vertex 0, and a heavy edge from there to a vertex with one more neighbour: that
/// part is put off while the search follows the chain, and nothing but the heavy edge leads there.
template <typename Weight>
Case<Weight> chain_and_heavy_edge(int n) {
  Edges<Weight> edges;
  for (int v = 1; v < n - 2; ++v) edges.emplace_back(v - 1, v, 1);
  edges.emplace_back(0, n - 2, 5 * n);
  edges.emplace_back(n - 2, n - 1, 1);
  const std::string label = "a chain of " + std::to_string(n - 2) + " vertices and a heavy edge";
  return {label, graph_of<Weight>(n, edges), {0}};
}

/// A chain from the last vertex down to vertex 0, and heavy edges from the last to all others: each
/// vertex comes closer in the first round, and once more in as many rounds as it is far along the
/// chain. Threads that take the vertices in their order do not go along it in one round.
template <typename Weight>
Case<Weight> chain_and_heavy_edges(int n) {
  Edges<Weight> edges;
  for (int v = 0; v < n - 2; ++v) edges.emplace_back(n - 1, v, 2 * n);
  for (int v = 1; v < n; ++v) edges.emplace_back(v, v - 1, 1);
  const std::string label =
      "a chain of " + std::to_string(n) + " vertices and heavy edges to all of them";
  return {label, graph_of<Weight>(n, edges), {n - 1}};
}

/// Edges from vertex 0 to all others, a path through these in no order that is shorter, and one
/// heavy edge. All vertices are reached at once. Then each sweep brings a few of them closer, by so
/// little that it is lost in a sum of the distances, of type double as well.
template <typename Weight>
Case<Weight> slightly_shorter_path(int n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int> path(n - 2);
  std::iota(path.begin(), path.end(), 1);
  datasets::shuffle(path, random);
  Edges<Weight> edges = {{0, n - 1, Weight(1e30)}};
  for (int i = 0; i < n - 2; ++i) {
    edges.emplace_back(0, path[i], Weight(1e-9));
    edges.emplace_back(i == 0 ? 0 : path[i - 1], path[i], Weight(1e-12));
  }
  const std::string label = "a star of " + std::to_string(n) +
                            " vertices, one of them far away, and a path that is a little shorter";
  return {warpwise::with_case_number(label, seed), graph_of<Weight>(n, edges), {0}};
}

/// A tree of three levels, all of weight 0: the root has `boughs` children, each of these has
/// `twigs` children, and each twig has one leaf. As many other vertices have no edges. A whole
/// level is reached at once, at the distance of the levels above. If `root_last`, the numbers
/// descend from the root to the leaves: threads that take the edges in their order reach one level
/// in each sweep.
template <typename Weight>
Case<Weight> light_tree(int boughs, int twigs, bool root_last = false) {
  Edges<Weight> edges;
  const int n = 1 + boughs + 2 * boughs * twigs;
  const auto edge = [&](int u, int v) {
    edges.emplace_back(root_last ? n - 1 - u : u, root_last ? n - 1 - v : v, 0);
  };
  for (int bough = 1, next = 1 + boughs; bough <= boughs; ++bough) {
    edge(0, bough);
    for (int i = 0; i < twigs; ++i, next += 2) {
      edge(bough, next);
      edge(next, next + 1);
    }
  }
  const std::string label = "a tree of " + std::to_string(n) + " vertices without any weight";
  return {label, graph_of<Weight>(2 * n, edges), {root_last ? n - 1 : 0}};
}

/// Layers of `width` vertices each, from vertex 0 on. Edges of weight 1 join all vertices of a
/// layer to all of the next: a search comes to one layer in each round, and never comes back.
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
/// from 1 to 8, but for that of the last leaf. From its root a path leads through the first `steps`
/// vertices, in no order: when all sweeps over the tree have been made, a few edges at the
/// beginning of the list still change something.
template <typename Weight>
Case<Weight> wide_tree(int children, std::uint64_t seed, int steps = 0) {
  const int parents = 1 + children + children * children, nodes = 1 + parents * children;
  std::mt19937_64 random(seed);
  std::vector<Weight> up(nodes);  // the weight of the edge to the vertex above
  for (Weight& weight : up) weight = static_cast<Weight>(1 + datasets::below(random, 8));
  up.back() = 1000;  // heavier than a bucket is wide
  std::vector<int> path(steps), place(steps);
  std::iota(path.begin(), path.end(), 0);
  datasets::shuffle(path, random);
  for (int i = 0; i < steps; ++i) place[path[i]] = i;
  CsrGraph<Weight> graph;
  const auto add = [&](int target, Weight weight) {
    graph.targets.push_back(target);
    graph.weights.push_back(weight);
  };
  for (int i : place) {
    add(i == 0 ? steps : path[i - 1], 1);
    if (i + 1 < steps) add(path[i + 1], 1);
    graph.offsets.push_back(graph.arcs());
  }
  for (int v = 0; v < nodes; ++v) {
    if (v == 0 && steps > 0) add(path[0], 1);
    if (v > 0) add(steps + (v - 1) / children, up[v]);
    for (int i = 1; v < parents && i <= children; ++i)
      add(steps + v * children + i, up[v * children + i]);
    graph.offsets.push_back(graph.arcs());
  }
  const std::string label = "a tree of " + std::to_string(graph.vertices()) + " vertices";
  return {warpwise::with_case_number(label, seed), std::move(graph), {steps}};
}

/// Vertices from `first` on and before `end` that a program may number wrongly: those at the powers
/// of two, and some by the seed.
inline std::vector<int> vertices_far_apart(int first, int end, std::uint64_t seed) {
  constexpr int kDrawn = 60;
  std::mt19937_64 random(seed);
  std::vector<int> chosen;
  for (std::int64_t power = 256; power < end; power *= 2)
    for (int more = -1; more <= 1; ++more) chosen.push_back(static_cast<int>(power) + more);
  for (int i = 0; i < kDrawn; ++i)
    chosen.push_back(first + static_cast<int>(datasets::below(random, end - first)));
  std::erase_if(chosen, [=](int v) { return v < first || v >= end; });
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

/// Few steps from end to end, however large. Vertex 0 leads to the first vertices of some pairs,
/// and nearly all edges join the two of a pair: more than 16 bits count, and few enough that one
/// thread can relax those of a vertex. The last arc of vertex 0 leads to the end of the graph, that
/// of the last pair to more of it and to a self-loop. Others of its arcs lead to vertices far
/// apart. The arcs of each vertex are sorted. Some other vertices are pairs, a few with many edges,
/// so that a sum over the vertices grows everywhere. The first arc of vertex 0 leads to a
/// vertex without others, also far away.
///
/// The last vertices are a path from the end backwards: ... n-3, n-4, n-5, n-7, n-6, n-8. If the
/// edges are relaxed in order, each of its last sweeps lowers one vertex, over one edge, which is
/// among the last of the list: the beginning of that edge, and once, from n-7 to n-6, its end. Who
/// keeps silent about it ends too early.
template <typename Weight>
CsrGraph<Weight> bundles_of(int n, int parallel, std::uint64_t seed) {
  constexpr int kOnePairIn = 64, kManyEdgesIn = 4096;  // so many vertices
  constexpr int kEnd = 9, kFar = 3;
  std::mt19937_64 random(seed);  // no program knows how many arcs of a vertex are enough
  const int pairs = 20 + static_cast<int>(datasets::below(random, 21)), bundled = 1 + 2 * pairs;
  CsrGraph<Weight> graph;
  graph.offsets.reserve(n + 1);
  const auto arc = [&](int target, double weight) {
    graph.targets.push_back(target);
    graph.weights.push_back(static_cast<Weight>(weight));
  };
  const auto end_vertex = [&] { graph.offsets.push_back(graph.arcs()); };
  const std::vector<int> reached = vertices_far_apart(bundled, n - kEnd, seed);
  arc(n - kEnd, 1);
  for (int pair = 0; pair < pairs; ++pair) arc(1 + pair, 1);
  for (const int v : reached) arc(v, kFar);
  arc(n - 1, 9);
  end_vertex();
  for (int v = 1; v < bundled; ++v) {
    const bool leads = v <= pairs;
    const int edges = parallel / pairs + 1;
    if (leads) arc(0, 1);
    for (int i = 0; i < edges; ++i) arc(leads ? v + pairs : v - pairs, 2 + 5.0 * i / edges);
    if (v == bundled - 1) arc(n - 2, 9);
    end_vertex();
  }
  auto next = reached.begin();
  for (int v = bundled; v < n - kEnd; ++v) {
    const int first = v - v % kOnePairIn, many = first % kManyEdgesIn == 0 ? 70 : 1;
    const bool is_pair = v - first < 2 && first >= bundled && first + 1 < n - kEnd;
    const int edges = is_pair ? many : 0, lighter = std::min(edges, kFar);
    for (int i = 0; i < lighter; ++i) arc(v == first ? v + 1 : v - 1, 1 + i);
    if (next != reached.end() && *next == v) arc(0, kFar), ++next;
    for (int i = lighter; i < edges; ++i) arc(v == first ? v + 1 : v - 1, 1 + i);
    end_vertex();
  }
  for (const auto& arcs : std::vector<std::vector<std::pair<int, int>>>{
           {{0, 1}},
           {{n - 6, 1}},
           {{n - 6, 1}, {n - 5, 1}},
           {{n - 8, 1}, {n - 7, 1}},
           {{n - 7, 1}, {n - 4, 1}},
           {{n - 5, 1}, {n - 3, 1}},
           {{n - 4, 1}, {n - 2, 1}},
           {{n - 3, 1}, {bundled - 1, 9}},
           {{0, 9}, {n - 1, 9}}}) {
    for (const auto& [target, weight] : arcs) arc(target, weight);
    end_vertex();
  }
  return graph;
}

template <typename Weight>
Case<Weight> bundles(int n, int parallel, std::uint64_t seed) {
  const std::string label = std::to_string(n) + " vertices and more than " +
                            std::to_string(parallel) + " edges, nearly all of them in few pairs";
  Case<Weight> one = {warpwise::with_case_number(label, seed),
                      bundles_of<Weight>(n, parallel, seed), {}};
  one.sources = {one.graph.targets[0]};  // more than 16 bits count, as n is
  return one;
}

}  // namespace sssp
