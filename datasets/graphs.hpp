// Graphs for tests and benches: a shape, a size and a seed give the same graph on every machine,
// for any number of threads. If a shape is not enough, `make_graph` (build_csr.hpp) takes a recipe.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>

#include "build_csr.hpp"
#include "csr_graph.hpp"
#include "graph_recipe.hpp"

namespace datasets {

/// What a shortest-path lab must get right. All are undirected, and have integer weights unless
/// another kind is named.
enum class GraphShape {
  rmat,             // hubs; 8 edges per vertex, parallel ones and self-loops among them
  rmat_simple,      // scrambled, without parallel edges and self-loops
  uniform,          // 4 edges per vertex
  real_weights,     // uniform, weights in (0, 1]
  zero_weights,     // uniform, a quarter of the weights 0
  many_parallel,    // few vertices, many edges between the same two
  grid,             // weights 1: many shortest paths of equal length
  road,             // lengths
  chain,            // vertex 0 is at its end: the most rounds
  scrambled_chain,  // the same, in no order
  star,
  complete,
  disconnected,
  no_edges,
};

inline constexpr std::array kAllGraphShapes = {
    GraphShape::rmat,         GraphShape::rmat_simple,
    GraphShape::uniform,      GraphShape::real_weights,
    GraphShape::zero_weights, GraphShape::many_parallel,
    GraphShape::grid,         GraphShape::road,
    GraphShape::chain,        GraphShape::scrambled_chain,
    GraphShape::star,         GraphShape::complete,
    GraphShape::disconnected, GraphShape::no_edges};

inline std::string describe(GraphShape shape) {
  switch (shape) {
    case GraphShape::rmat:
      return "an RMAT graph";
    case GraphShape::rmat_simple:
      return "an RMAT graph without parallel edges and self-loops";
    case GraphShape::uniform:
      return "a random graph";
    case GraphShape::real_weights:
      return "a random graph with real weights";
    case GraphShape::zero_weights:
      return "a random graph with zero weights";
    case GraphShape::many_parallel:
      return "a random graph with many parallel edges";
    case GraphShape::grid:
      return "a grid with unit weights";
    case GraphShape::road:
      return "a road network";
    case GraphShape::chain:
      return "a chain";
    case GraphShape::scrambled_chain:
      return "a chain in no order";
    case GraphShape::star:
      return "a star";
    case GraphShape::complete:
      return "a complete graph";
    case GraphShape::disconnected:
      return "a disconnected graph";
    case GraphShape::no_edges:
      return "a graph without edges";
  }
  return "a graph";
}

/// How a shape is made with at most `vertices` vertices. The number is exact except in two cases:
/// RMAT takes the next smaller power of two. A complete graph has at most 300, because otherwise it
/// would have too many edges.
inline GraphRecipe recipe_of(GraphShape shape, int vertices, std::uint64_t seed) {
  GraphRecipe recipe{.vertices = vertices, .seed = seed};
  switch (shape) {
    case GraphShape::rmat_simple:
      recipe.scrambled = true;
      recipe.self_loops = recipe.parallel_edges = false;
      [[fallthrough]];
    case GraphShape::rmat:
      recipe.kind = GraphKind::rmat;
      recipe.vertices = static_cast<int>(std::bit_floor(static_cast<unsigned>(vertices)));
      recipe.degree = 8;
      return recipe;
    case GraphShape::real_weights:
      recipe.weights = WeightKind::reals;
      break;
    case GraphShape::zero_weights:
      recipe.weights = WeightKind::zeros_mixed;
      break;
    case GraphShape::many_parallel:
      recipe.kind = GraphKind::uniform;
      recipe.vertices = std::min(vertices, 16);
      recipe.degree = recipe.vertices > 0 ? 4.0 * vertices / recipe.vertices : 0;
      return recipe;
    case GraphShape::grid:
      recipe.kind = GraphKind::grid;
      recipe.weights = WeightKind::unit;
      return recipe;
    case GraphShape::road:
      recipe.kind = GraphKind::road;
      recipe.weights = WeightKind::lengths;
      return recipe;
    case GraphShape::chain:
      recipe.kind = GraphKind::chain;
      return recipe;
    case GraphShape::scrambled_chain:
      recipe.kind = GraphKind::chain;
      recipe.scrambled = true;
      return recipe;
    case GraphShape::star:
      recipe.kind = GraphKind::star;
      return recipe;
    case GraphShape::complete:
      recipe.kind = GraphKind::complete;
      recipe.vertices = std::min(vertices, 300);
      return recipe;
    case GraphShape::disconnected:
      recipe.kind = GraphKind::disconnected;
      recipe.degree = 3;
      return recipe;
    case GraphShape::no_edges:
      recipe.kind = GraphKind::no_edges;
      return recipe;
    case GraphShape::uniform:
      break;
  }
  recipe.kind = GraphKind::uniform;
  recipe.degree = 4;
  return recipe;
}

/// The graph of a shape; `vertices` >= 0 as in recipe_of. One vertex and no vertex are legal sizes.
template <typename Weight>
CsrGraph<Weight> make_graph(GraphShape shape, int vertices, std::uint64_t seed) {
  return make_graph<Weight>(recipe_of(shape, vertices, seed));
}

/// The graphs of the article's figures: RMAT with 2^scale vertices and 16 undirected edges, which
/// is 32 arcs, per vertex.
inline GraphRecipe rmat_recipe(int scale, std::uint64_t seed,
                               WeightKind weights = WeightKind::reals) {
  return {.kind = GraphKind::rmat,
          .vertices = 1 << scale,
          .degree = 16,
          .weights = weights,
          .scrambled = true,
          .seed = seed};
}

}  // namespace datasets
