// Graphs in files; the suffix names the format. This is the header to include.
//
//   .gr    DIMACS             .wel .el  GAP edge list, with or without weights
//   .mtx   MatrixMarket       .wsg      GAP serialised weighted graph
//   .txt   SNAP edge list     .gz       after any of them: compressed by gzip
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

/// The type that a file's name stands for. Throws InputError for an unknown suffix.
FileType type_of(const std::string& path);

/// A graph from a file, and whether the file has weights; some SNAP and .mtx files have none.
struct GraphFile {
  CsrGraph<double> graph;
  bool weighted = true;  // false: the weights were made up, as ReadOptions say
};

/// Reads a graph. Throws InputError for a file that is missing or malformed, MachineError for one
/// that cannot be read.
GraphFile read_graph(const std::string& path, const ReadOptions& options = {});
/// The same from bytes in memory; `name` gives the format and appears in messages.
GraphFile read_graph(std::unique_ptr<ByteSource> source, const std::string& name,
                     const ReadOptions& options = {});

/// What the file cannot hold of the graph, as a sentence; empty if it holds everything.
std::string what_is_lost(const CsrGraph<double>& graph, const std::string& path);

/// Throws InputError if no graph may be written to `path`. `write_graph` checks this first.
void check_target(const std::string& path, bool force);

/// Writes a graph; replaces an existing file if `force`. Throws InputError for a graph that the
/// format cannot hold, MachineError for a full disk. After an exception there is no file, or still
/// the old one.
void write_graph(const CsrGraph<double>& graph, const std::string& path, bool force = false);

}  // namespace datasets
