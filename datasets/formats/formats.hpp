// Graphs in files: the suffix names the format. This is the header to include.
//
//   .gr    DIMACS             .wel .el  GAP edge list, with or without weights
//   .mtx   MatrixMarket       .wsg      GAP serialised weighted graph
//   .txt   SNAP edge list     .gz       behind any of them: compressed by gzip
#pragma once

#include <memory>
#include <string>

#include "arc_list.hpp"
#include "byte_source.hpp"
#include "csr_graph.hpp"
#include "errors.hpp"

namespace datasets {

enum class Format { dimacs, matrix_market, weighted_edge_list, edge_list, snap, wsg };

struct FileType {
  Format format;
  bool zipped;
};

/// The type that a file's name says. Throws InputError for a suffix that none has.
FileType type_of(const std::string& path);

/// Whether a file of the format comes with weights of its own; some SNAP and .mtx files do not.
struct GraphFile {
  CsrGraph<double> graph;
  bool weighted = true;  // false: the weights were made up, as ReadOptions say
};

/// Reads a graph. Throws InputError for a file that is missing or malformed, MachineError for one
/// that cannot be read.
GraphFile read_graph(const std::string& path, const ReadOptions& options = {});
/// The same from bytes in memory; `name` says the format and stands in messages.
GraphFile read_graph(std::unique_ptr<ByteSource> source, const std::string& name,
                     const ReadOptions& options = {});

/// What the file would lack of the graph, as a sentence, or nothing.
std::string what_is_lost(const CsrGraph<double>& graph, const std::string& path);

/// Throws InputError unless a graph may be written to `path`: what `write_graph` checks first.
void check_target(const std::string& path, bool force);

/// Writes a graph; an existing file is replaced if `force`. Throws InputError for a graph that the
/// format cannot hold, MachineError for a full disk; then there is no file, or still the old one.
void write_graph(const CsrGraph<double>& graph, const std::string& path, bool force = false);

}  // namespace datasets
