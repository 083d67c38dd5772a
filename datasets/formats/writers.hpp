// One writer per format. If a format cannot hold a graph, it is refused with InputError before
// anything is written. If the graph is still useful without what is lost, `what_is_lost` names the
// loss.
#pragma once

#include "csr_graph.hpp"
#include "output_file.hpp"

namespace datasets {

using Graph = CsrGraph<double>;

void write_dimacs(const Graph& graph, OutputFile& file);
/// Symmetric, with only the lower triangle, if the graph is undirected; integer if all weights are.
void write_matrix_market(const Graph& graph, OutputFile& file);
void write_edge_list(const Graph& graph, OutputFile& file, bool weighted);
/// Writes each edge of an undirected graph once.
void write_snap(const Graph& graph, OutputFile& file);
void write_wsg(const Graph& graph, OutputFile& file);

/// Throws InputError unless all weights are whole numbers up to `most`.
void require_whole_weights(const Graph& graph, double most, const char* format);
bool has_whole_weights(const Graph& graph);

}  // namespace datasets
