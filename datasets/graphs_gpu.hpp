// The graphs of build_csr.hpp, made by a GPU: the same vertices, arcs and weights, bit for bit.
#pragma once

#include "csr_graph.hpp"
#include "graph_recipe.hpp"

namespace datasets {

/// Weight is float or double. Needs device memory for the graph and one int per vertex. Throws
/// std::invalid_argument if the recipe describes no graph, kit::CudaError if the GPU fails.
template <typename Weight>
CsrGraph<Weight> make_graph_on_gpu(const GraphRecipe& recipe);

}  // namespace datasets
