// Nodes that allocate memory for a graph, and free it.
#pragma once

#include <cstddef>

#include "streams/capture.hpp"

namespace cuda_on_cpu {

// What cudaMallocAsync and cudaFreeAsync are in a stream that is captured.
cudaError_t allocate_in_graph(void **pointer, std::size_t bytes, cudaStream_t stream,
                              const void *caller);
cudaError_t free_in_graph(void *pointer, cudaStream_t stream, const void *caller);

bool has_memory_nodes(const std::vector<std::shared_ptr<CUgraphNode_st>> &nodes);
// Before a launch: what an earlier one has allocated must be free. `frees`: it is freed here.
cudaError_t begin_with_free_memory(const std::vector<std::shared_ptr<CUgraphNode_st>> &nodes,
                                   bool frees);

}  // namespace cuda_on_cpu
