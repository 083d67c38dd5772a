#include "writers.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "errors.hpp"
#include "graph_properties.hpp"

namespace datasets {
namespace {

/// Calls body(from, to, weight) for every arc.
template <typename Body>
void each_arc(const Graph& graph, const Body& body) {
  for (int v = 0; v < graph.vertices(); ++v)
    for (int i = graph.offsets[v]; i < graph.offsets[v + 1]; ++i)
      body(v, graph.targets[i], graph.weights[i]);
}

std::int64_t count_arcs(const Graph& graph, bool lower_only) {
  std::int64_t count = 0;
  each_arc(graph, [&](int from, int to, double) { count += !lower_only || from >= to; });
  return count;
}

bool is_whole(double weight) { return weight == std::floor(weight); }

void write_wsg_half(const Graph& graph, OutputFile& file) {
  for (const int offset : graph.offsets) {
    const std::int64_t wide = offset;
    file.write(&wide, sizeof wide);
  }
  each_arc(graph, [&](int, int to, double weight) {
    const std::int32_t pair[] = {to, static_cast<std::int32_t>(weight)};
    file.write(pair, sizeof pair);
  });
}

}  // namespace

bool has_whole_weights(const Graph& graph) { return std::ranges::all_of(graph.weights, is_whole); }

void require_whole_weights(const Graph& graph, double most, const char* format) {
  const auto bad = std::ranges::find_if(
      graph.weights, [&](double weight) { return !is_whole(weight) || weight > most; });
  if (bad == graph.weights.end()) return;
  std::ostringstream sentence;
  sentence << format << " holds only whole weights up to " << std::setprecision(17) << most
           << ", but this graph has " << *bad << "; write .mtx or .wel instead.";
  throw InputError(sentence.str());
}

void write_dimacs(const Graph& graph, OutputFile& file) {
  file << "c One directed arc per line, vertices from 1.\n"
       << "p sp " << graph.vertices() << ' ' << graph.arcs() << '\n';
  each_arc(graph, [&](int from, int to, double weight) {
    file << "a " << from + 1 << ' ' << to + 1 << ' ' << static_cast<std::int64_t>(weight) << '\n';
  });
}

void write_matrix_market(const Graph& graph, OutputFile& file) {
  const bool symmetric = is_undirected(graph);
  file << "%%MatrixMarket matrix coordinate " << (has_whole_weights(graph) ? "integer" : "real")
       << (symmetric ? " symmetric\n" : " general\n") << graph.vertices() << ' ' << graph.vertices()
       << ' ' << count_arcs(graph, symmetric) << '\n';
  each_arc(graph, [&](int from, int to, double weight) {
    if (!symmetric || from >= to) file << from + 1 << ' ' << to + 1 << ' ' << weight << '\n';
  });
}

void write_edge_list(const Graph& graph, OutputFile& file, bool weighted) {
  each_arc(graph, [&](int from, int to, double weight) {
    file << from << ' ' << to;
    if (weighted) file << ' ' << weight;
    file << '\n';
  });
}

void write_snap(const Graph& graph, OutputFile& file) {
  const bool undirected = is_undirected(graph);
  file << (undirected ? "# Undirected graph: each edge once\n" : "# Directed graph\n")
       << "# Nodes: " << graph.vertices() << " Edges: " << count_arcs(graph, undirected) << '\n'
       << "# FromNodeId\tToNodeId\tWeight\n";
  each_arc(graph, [&](int from, int to, double weight) {
    if (!undirected || from >= to) file << from << '\t' << to << '\t' << weight << '\n';
  });
}

void write_wsg(const Graph& graph, OutputFile& file) {
  const bool directed = !is_undirected(graph);
  const std::int64_t counts[] = {graph.arcs(), graph.vertices()};
  file.write(&directed, 1);
  file.write(counts, sizeof counts);
  write_wsg_half(graph, file);
  if (directed) write_wsg_half(transposed(graph), file);
}

}  // namespace datasets
