#include "api/memory_nodes.hpp"

#include <algorithm>

#include "device/graph_memory.hpp"
#include "messages/failures.hpp"

namespace cuda_on_cpu {

cudaError_t allocate_in_graph(void **pointer, std::size_t bytes, cudaStream_t stream,
                              const void *caller) {
  if (!pointer || bytes == 0) return finish_call(cudaErrorInvalidValue);
  const auto memory = GraphMemory::reserve(bytes);
  if (!memory) return finish_call(cudaErrorMemoryAllocation);
  GraphMemory *const own = memory.get();  // the node keeps it
  const cudaError_t error = run_or_capture(
      stream, cudaGraphNodeTypeMemAlloc, [own, caller] { return own->allocate(caller); }, caller);
  if (error != cudaSuccess) return error;
  capturing(stream)->nodes.back()->memory = memory;
  *pointer = memory->address();
  return cudaSuccess;
}

cudaError_t free_in_graph(void *pointer, cudaStream_t stream, const void *caller) {
  const auto memory = GraphMemory::at(pointer);
  const auto &nodes = capturing(stream)->nodes;
  const auto frees_it = [&](const auto &node) {
    return node->type == cudaGraphNodeTypeMemFree && node->memory == memory;
  };
  if (!memory || std::any_of(nodes.begin(), nodes.end(), frees_it)) {
    explain(memory ? "the graph frees this memory already"
                   : "a graph can only free memory that a graph allocates");
    return finish_call(cudaErrorInvalidValue);
  }
  GraphMemory *const own = memory.get();
  const cudaError_t error = run_or_capture(
      stream, cudaGraphNodeTypeMemFree,
      [own, caller] {
        if (asynchrony()) asynchrony()->changes_hands(own->address(), 0, "frees", caller);
        if (own->free()) return cudaSuccess;
        explain("the graph's memory is freed, and no launch has allocated it since");
        return cudaErrorInvalidValue;
      },
      caller);
  if (error != cudaSuccess) return error;
  capturing(stream)->nodes.back()->memory = memory;
  return cudaSuccess;
}

bool has_memory_nodes(const std::vector<std::shared_ptr<CUgraphNode_st>> &nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [](const auto &node) { return !!node->memory; });
}

cudaError_t begin_with_free_memory(const std::vector<std::shared_ptr<CUgraphNode_st>> &nodes,
                                   bool frees) {
  for (const auto &node : nodes) {
    if (node->type != cudaGraphNodeTypeMemAlloc || !node->memory->is_live()) continue;
    if (!frees) return node->memory->allocate(nullptr);  // says why it cannot
    node->memory->free();
  }
  return cudaSuccess;
}

}  // namespace cuda_on_cpu
