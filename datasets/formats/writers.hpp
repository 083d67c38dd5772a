// One writer per format. What a format cannot hold is refused with InputError before anything is
// written, or, where the graph is still of use, named by `what_is_lost`.
#pragma once

#include "csr_graph.hpp"
#include "output_file.hpp"

namespace datasets {

using Graph = CsrGraph<double>;

void write_dimacs(const Graph& graph, OutputFile& file);
/// Symmetric, with the lower triangle only, if the graph is undirected; integer if all weights are.
void write_matrix_market(const Graph& graph, OutputFile& file);
void write_edge_list(const Graph& graph, OutputFile& file, bool weighted);
/// An undirected graph's edges once each.
void write_snap(const Graph& graph, OutputFile& file);
void write_wsg(const Graph& graph, OutputFile& file);

/// Throws InputError unless all weights are whole numbers up to `most`.
void require_whole_weights(const Graph& graph, double most, const char* format);
bool has_whole_weights(const Graph& graph);

}  // namespace datasets
