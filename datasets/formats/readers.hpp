// One reader per format: takes bytes, returns arcs or a graph, throws InputError for an invalid
// file. `name` appears in messages, before the line number.
#pragma once

#include <string>

#include "arc_list.hpp"
#include "byte_source.hpp"
#include "csr_graph.hpp"

namespace datasets {

/// The 9th DIMACS challenge's shortest-path format: `p sp VERTICES ARCS`, then `a FROM TO WEIGHT`.
/// Vertices are numbered from 1, weights are whole.
ArcList read_dimacs(ByteSource& source, const std::string& name);

/// MatrixMarket, coordinate, real, integer or pattern, general or symmetric. Entry (i, j) is an arc
/// from i to j. The lower triangle of a symmetric matrix is returned as both directions.
ArcList read_matrix_market(ByteSource& source, const std::string& name);

/// The GAP benchmark suite's edge lists: `FROM TO WEIGHT` (.wel) or `FROM TO` (.el), vertices
/// numbered from 0. The largest number seen is the last vertex. Lines with # or % are comments.
ArcList read_edge_list(ByteSource& source, const std::string& name, bool weighted);

/// SNAP's edge lists: two or three columns, comments with #. Gaps between vertex numbers are
/// closed, in ascending order. `# Nodes: N Edges: M` is checked; `# Undirected graph` gives both
/// directions.
ArcList read_snap(ByteSource& source, const std::string& name);

/// The GAP benchmark suite's serialised weighted graph: a byte (directed), two int64 (arcs,
/// vertices), int64 offsets, pairs of int32 (target, weight). If directed, the inverse graph
/// follows.
CsrGraph<double> read_wsg(ByteSource& source, const std::string& name);

}  // namespace datasets
