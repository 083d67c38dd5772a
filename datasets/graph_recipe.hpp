// Describes the graph that is wanted: a kind, a size, weights and options.
#pragma once

#include <cstdint>

#include "rmat.hpp"

namespace datasets {

enum class GraphKind {
  rmat,          // hubs and many vertices without an edge; a power of two of vertices
  uniform,       // both ends of every edge drawn uniformly
  grid,          // a square grid, row by row: right and lower neighbour
  road,          // a grid without a quarter of its edges, plus an eighth of its diagonals
  chain,         // 0 - 1 - 2 - ...: the largest number of rounds
  star,          // vertex 0 has an edge to every other: the largest degree
  complete,      // every vertex has an edge to every other
  disconnected,  // three random parts without an edge between them, and vertices without edges
  no_edges,
};

enum class WeightKind {
  unit,         // 1
  integers,     // 1 .. 255, uniform
  reals,        // (0, 1], uniform, in steps of 2^-24
  zeros_mixed,  // a quarter 0, the others 1 .. 255
  lengths,      // of a road: distances of vertices moved at random from grid points, 10 .. 268
};

/// Every weight above is a float: CsrGraph<float> and CsrGraph<double> hold equal weights.
struct GraphRecipe {
  GraphKind kind = GraphKind::rmat;
  int vertices = 0;
  double degree = 16;  // edges per vertex of rmat, uniform and disconnected; the others ignore it
  WeightKind weights = WeightKind::integers;
  bool directed = false;       // an undirected edge is stored as two arcs of equal weight
  bool self_loops = true;      // false: leaves out those that rmat, uniform and disconnected make
  bool parallel_edges = true;  // false: keeps the lightest of several arcs between two vertices
  bool scrambled = false;      // true: vertices are renumbered at random
  std::uint64_t seed = 1;
  RmatParameters rmat = {};
};

}  // namespace datasets
