// Builds a CSR graph from numbered edges, on all cores. Edges are made twice, once to count and
// once to place them, because that needs no memory except the graph's own and one int per vertex.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "csr_graph.hpp"
#include "edge_source.hpp"
#include "graph_recipe.hpp"
#include "parallel.hpp"

namespace datasets {

/// Calls arc(from, to, i) for every arc of every edge i, from many threads at once.
template <typename Body>
void for_each_arc(const EdgeSource& source, bool directed, int threads, const Body& arc) {
  parallel_for(source.slots(), 1 << 14, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Edge edge = source.edge(i);
      if (edge.from < 0) continue;
      arc(edge.from, edge.to, i);
      if (!directed && edge.from != edge.to) arc(edge.to, edge.from, i);
    }
  });
}

/// Sorts the arcs of every vertex by target, then weight, so that the threads' order does not
/// matter.
template <typename Weight>
void sort_rows(CsrGraph<Weight>& graph, int threads) {
  parallel_for(graph.vertices(), 1 << 9, threads, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::pair<int, Weight>> row;
    for (std::int64_t v = begin; v < end; ++v) {
      const int first = graph.offsets[v];
      row.clear();
      for (int i = first; i < graph.offsets[v + 1]; ++i)
        row.emplace_back(graph.targets[i], graph.weights[i]);
      std::sort(row.begin(), row.end());
      for (std::size_t i = 0; i < row.size(); ++i) {
        graph.targets[first + i] = row[i].first;
        graph.weights[first + i] = row[i].second;
      }
    }
  });
}

/// Keeps the first of several arcs to one target: the lightest, if rows are sorted.
template <typename Weight>
void remove_parallel_arcs(CsrGraph<Weight>& graph) {
  int kept = 0;
  int begin = 0;  // of the old row; offsets[v] is already that of the new row
  for (int v = 0; v < graph.vertices(); ++v) {
    const int end = graph.offsets[v + 1];
    for (int i = begin; i < end; ++i) {
      if (i > begin && graph.targets[i] == graph.targets[i - 1]) continue;
      graph.targets[kept] = graph.targets[i];
      graph.weights[kept++] = graph.weights[i];
    }
    begin = end;
    graph.offsets[v + 1] = kept;
  }
  graph.targets.resize(kept);
  graph.weights.resize(kept);
}

/// The graph of a recipe, its rows sorted by target and weight: the same for any number of threads
/// (0: one per core). Throws std::invalid_argument, with a sentence, if the recipe describes no
/// graph.
template <typename Weight>
CsrGraph<Weight> make_graph(const GraphRecipe& recipe, int threads = 0) {
  const EdgeSource source(recipe);
  detail::require(!std::is_integral_v<Weight> || recipe.weights != WeightKind::reals,
                  "whole-number weights cannot be reals; ask for another kind of weights.");
  const bool directed = recipe.directed;
  CsrGraph<Weight> graph;
  graph.offsets.assign(static_cast<std::size_t>(source.vertices()) + 1, 0);
  const auto claim = [](int& counter) {
    return std::atomic_ref(counter).fetch_add(1, std::memory_order_relaxed);
  };
  for_each_arc(source, directed, threads,
               [&](int from, int, std::int64_t) { claim(graph.offsets[from + 1]); });
  for (int v = 0; v < graph.vertices(); ++v) graph.offsets[v + 1] += graph.offsets[v];

  graph.targets.resize(graph.offsets.back());
  graph.weights.resize(graph.offsets.back());
  std::vector<int> next(graph.offsets.begin(), graph.offsets.end() - 1);
  for_each_arc(source, directed, threads, [&](int from, int to, std::int64_t i) {
    const int place = claim(next[from]);
    graph.targets[place] = to;
    graph.weights[place] = static_cast<Weight>(source.weight(i));
  });
  sort_rows(graph, threads);
  if (!recipe.parallel_edges) remove_parallel_arcs(graph);
  return graph;
}

}  // namespace datasets
