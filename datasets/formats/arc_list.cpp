#include "arc_list.hpp"

#include <algorithm>
#include <cstddef>

#include "build_csr.hpp"
#include "edge_source.hpp"
#include "errors.hpp"

namespace datasets {
namespace {

void make_weights(std::vector<Arc>& arcs, const ReadOptions& options) {
  const RandomStream random = random_stream(options.seed, 4);
  for (Arc& arc : arcs) {
    const std::uint64_t low = static_cast<std::uint64_t>(std::min(arc.from, arc.to));
    const std::uint64_t high = static_cast<std::uint64_t>(std::max(arc.from, arc.to));
    arc.weight = drawn_weight(options.weights, random, low << 32 | high);
  }
}

void check_size(const ArcList& list, const std::string& name) {
  const auto arcs = static_cast<std::int64_t>(list.arcs.size());
  if (arcs > kMostArcs) throw InputError(name + ": a graph has at most 2147483647 arcs.");
  if (list.vertices > std::min(kMostVertices, most_vertices(arcs)))
    throw InputError(name + ": " + std::to_string(list.vertices) + " vertices with only " +
                     std::to_string(arcs) + " arcs: the number of vertices seems to be damaged.");
}

}  // namespace

void add_opposites(std::vector<Arc>& arcs) {
  const std::size_t given = arcs.size();
  for (std::size_t i = 0; i < given; ++i)
    if (arcs[i].from != arcs[i].to) arcs.push_back({arcs[i].to, arcs[i].from, arcs[i].weight});
}

CsrGraph<double> to_graph(ArcList list, const ReadOptions& options, const std::string& name) {
  if (options.undirected) add_opposites(list.arcs);
  check_size(list, name);
  if (!list.weighted) make_weights(list.arcs, options);
  CsrGraph<double> graph;
  graph.offsets.assign(static_cast<std::size_t>(list.vertices) + 1, 0);
  for (const Arc& arc : list.arcs) ++graph.offsets[arc.from + 1];
  for (int v = 0; v < graph.vertices(); ++v) graph.offsets[v + 1] += graph.offsets[v];
  graph.targets.resize(list.arcs.size());
  graph.weights.resize(list.arcs.size());
  std::vector<int> next(graph.offsets.begin(), graph.offsets.end() - 1);
  for (const Arc& arc : list.arcs) {
    const int place = next[arc.from]++;
    graph.targets[place] = arc.to;
    graph.weights[place] = arc.weight;
  }
  sort_rows(graph, 0);
  return graph;
}

}  // namespace datasets
