// Properties of a graph that do not need its file: whether it is undirected, a checksum, its
// transpose.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "build_csr.hpp"
#include "counter_random.hpp"
#include "csr_graph.hpp"

namespace datasets {

/// A hash of one arc; the opposite arc has another hash.
inline std::uint64_t arc_hash(int from, int to, double weight) {
  const std::uint64_t ends =
      static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
  return mixed(mixed(ends) + std::bit_cast<std::uint64_t>(weight));
}

/// The sum of all arcs' hashes, each arc unchanged or turned round. A sum ignores the arcs' order.
template <typename Weight>
std::uint64_t sum_of_arcs(const CsrGraph<Weight>& graph, bool turned = false, int threads = 0) {
  std::atomic<std::uint64_t> sum = 0;
  parallel_for(graph.vertices(), 1 << 9, threads, [&](std::int64_t begin, std::int64_t end) {
    std::uint64_t part = 0;
    for (int v = static_cast<int>(begin); v < end; ++v)
      for (int i = graph.offsets[v]; i < graph.offsets[v + 1]; ++i) {
        const int from = turned ? graph.targets[i] : v;
        const int to = turned ? v : graph.targets[i];
        part += arc_hash(from, to, graph.weights[i]);
      }
    sum += part;
  });
  return sum;
}

/// Whether every arc has an opposite of equal weight. By hashes: a wrong yes has odds of 2^-64.
template <typename Weight>
bool is_undirected(const CsrGraph<Weight>& graph) {
  return sum_of_arcs(graph) == sum_of_arcs(graph, true);
}

/// 64 bits that two graphs share if they have the same vertices and arcs. The order of a vertex's
/// arcs does not matter, nor does it matter whether weights are floats or doubles.
template <typename Weight>
std::uint64_t checksum(const CsrGraph<Weight>& graph) {
  return mixed(sum_of_arcs(graph) + static_cast<std::uint64_t>(graph.vertices()));
}

/// The graph with every arc turned round, its rows sorted.
template <typename Weight>
CsrGraph<Weight> transposed(const CsrGraph<Weight>& graph) {
  CsrGraph<Weight> turned;
  turned.offsets.assign(graph.offsets.size(), 0);
  for (const int target : graph.targets) ++turned.offsets[target + 1];
  for (int v = 0; v < graph.vertices(); ++v) turned.offsets[v + 1] += turned.offsets[v];
  turned.targets.resize(graph.targets.size());
  turned.weights.resize(graph.weights.size());
  std::vector<int> next(turned.offsets.begin(), turned.offsets.end() - 1);
  for (int v = 0; v < graph.vertices(); ++v)
    for (int i = graph.offsets[v]; i < graph.offsets[v + 1]; ++i) {
      const int place = next[graph.targets[i]]++;
      turned.targets[place] = v;
      turned.weights[place] = graph.weights[i];
    }
  sort_rows(turned, 0);
  return turned;
}

}  // namespace datasets
