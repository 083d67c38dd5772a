// Graphs made node by node, and executable graphs.
#include <algorithm>
#include <memory>
#include <vector>

#include "api/memory_nodes.hpp"
#include "device/array.hpp"
#include "device/device.hpp"
#include "device/given_memory.hpp"
#include "device/graph_memory.hpp"
#include "launches/kernel_registry.hpp"
#include "messages/failures.hpp"
#include "streams/capture.hpp"
#include "streams/graph_order.hpp"
#include "streams/graph_update.hpp"
#include "streams/registry.hpp"
#include "streams/stream_order.hpp"

struct CUgraphExec_st {
  cuda_on_cpu::Nodes nodes;  // each after those it depends on
  std::vector<CUgraphNode_st *> exits;
  cuda_on_cpu::Pairs replaced;
  std::uint64_t number;  // of the event that its last launch is over: launches do not overlap
  bool frees_on_launch;
  std::shared_ptr<int> instance;  // of a graph with memory of its own
};

namespace cuda_on_cpu {
namespace {

auto &executables() { return Registry<CUgraphExec_st>::instance(); }

class NodeWork {
 public:
  NodeWork(const CUgraphNode_st &node, const void *caller) {
    if (!asynchrony()) return;
    std::vector<std::uint64_t> after;
    for (const CUgraphNode_st *one : node.after) after.push_back(one->number);
    asynchrony()->begin_node(node.number, after, caller);
  }
  ~NodeWork() {
    if (asynchrony()) asynchrony()->end_work();
  }
  NodeWork(const NodeWork &) = delete;
  NodeWork &operator=(const NodeWork &) = delete;
};

// `call` is an ordinary asynchronous call; it becomes the graph's last node.
template <class Call>
cudaError_t add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                     std::size_t count, cudaGraphNodeType type, Call call,
                     const void *caller = __builtin_return_address(0)) {
  if (!node || !graphs().has(graph) || (count && !dependencies))
    return finish_call(cudaErrorInvalidValue);
  const std::vector<cudaGraphNode_t> after(dependencies, dependencies + count);
  if (!std::all_of(after.begin(), after.end(),
                   [&](cudaGraphNode_t one) { return has(*graph, one); }))
    return finish_call(cudaErrorInvalidValue);
  const std::size_t before = graph->nodes.size();
  cudaError_t error;
  {
    const RecordInto recording(graph);
    const CopyingFor copying(caller);
    error = call();
  }
  if (error != cudaSuccess || graph->nodes.size() == before) return finish_call(error);
  graph->nodes.back()->type = type;
  graph->nodes.back()->after = after;
  graph->nodes.back()->caller = caller;
  *node = graph->nodes.back().get();
  return finish_call(cudaSuccess);
}

cudaError_t launch(const cudaKernelNodeParams &kernel) {
  const Configuration configuration(kernel.gridDim, kernel.blockDim, kernel.sharedMemBytes);
  return launch_erased(kernel.func, configuration, kernel.kernelParams, {"graph", 0});
}

cudaError_t fill(const cudaMemsetParams &wanted) {
  const auto write = [wanted]<class Element>(Element element) {
    for (std::size_t y = 0; y < wanted.height; ++y) {
      auto *row = reinterpret_cast<Element *>(static_cast<char *>(wanted.dst) + y * wanted.pitch);
      const std::vector<Element> values(wanted.width, element);
      const cudaError_t error =
          copy_checked(row, values.data(), wanted.width * sizeof(Element), cudaMemcpyHostToDevice);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  };
  if (wanted.elementSize == 1) return write(static_cast<unsigned char>(wanted.value));
  if (wanted.elementSize == 2) return write(static_cast<unsigned short>(wanted.value));
  return wanted.elementSize == 4 ? write(wanted.value) : cudaErrorInvalidValue;
}

cudaError_t run(const Nodes &nodes, const Pairs &replaced = {}) {
  for (const auto &node : nodes) {
    const auto found = replaced.find(node.get());
    const CUgraphNode_st *now = found == replaced.end() ? node.get() : found->second.get();
    const NodeWork work(*node, now->caller ? now->caller : node->caller);
    if (const cudaError_t error = now->operation(); error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t refuse_memory_nodes(const char *what) {
  explain(std::string("a graph with memory of its own cannot be ") + what);
  return finish_call(cudaErrorNotSupported);
}

// Launches of one executable graph follow each other, in whatever streams they are.
cudaError_t run_launch(const CUgraphExec_st &executable) {
  if (const cudaError_t error =
          begin_with_free_memory(executable.nodes, executable.frees_on_launch))
    return error;
  if (!asynchrony()) return run(executable.nodes, executable.replaced);
  asynchrony()->begin_graph(executable.number);
  const cudaError_t error = run(executable.nodes, executable.replaced);
  asynchrony()->end_graph(executable.number);
  return error;
}

}  // namespace
}  // namespace cuda_on_cpu

using namespace cuda_on_cpu;

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
  if (!graph || flags) return finish_call(cudaErrorInvalidValue);
  *graph = graphs().create();
  return finish_call(cudaSuccess);
}
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
  if (!clone || !graphs().has(graph)) return finish_call(cudaErrorInvalidValue);
  if (has_memory_nodes(graph->nodes)) return refuse_memory_nodes("copied");
  *clone = graphs().create(*graph);
  return finish_call(cudaSuccess);
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return finish_call(graphs().destroy(graph) ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  if (!count || !graphs().has(graph)) return finish_call(cudaErrorInvalidValue);
  if (nodes)
    for (std::size_t i = 0; i < *count; ++i)
      nodes[i] = i < graph->nodes.size() ? graph->nodes[i].get() : nullptr;
  if (!nodes || *count > graph->nodes.size()) *count = graph->nodes.size();
  return finish_call(cudaSuccess);
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType *type) {
  if (!node || !type) return finish_call(cudaErrorInvalidValue);
  *type = node->type;
  return finish_call(cudaSuccess);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *after, size_t count,
                                   const cudaKernelNodeParams *parameters) {
  if (!parameters) return finish_call(cudaErrorInvalidValue);
  return add_node(node, graph, after, count, cudaGraphNodeTypeKernel,
                  [&] { return launch(*parameters); });
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *after, size_t count,
                                   const cudaMemcpy3DParms *parameters) {
  if (!parameters) return finish_call(cudaErrorInvalidValue);
  return add_node(node, graph, after, count, cudaGraphNodeTypeMemcpy,
                  [&] { return cudaMemcpy3DAsync(parameters, nullptr); });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *after, size_t count, void *to,
                                     const void *from, size_t bytes, cudaMemcpyKind kind) {
  return add_node(node, graph, after, count, cudaGraphNodeTypeMemcpy,
                  [&] { return cudaMemcpyAsync(to, from, bytes, kind, nullptr); });
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *after, size_t count,
                                   const cudaMemsetParams *parameters) {
  if (!parameters) return finish_call(cudaErrorInvalidValue);
  return add_node(node, graph, after, count, cudaGraphNodeTypeMemset, [&] {
    const void *caller = copying_for();
    return run_or_capture(nullptr, cudaGraphNodeTypeMemset, [wanted = *parameters, caller] {
      const CopyingFor copying(caller);
      return fill(wanted);
    });
  });
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *after, size_t count,
                                 const cudaHostNodeParams *parameters) {
  if (!parameters) return finish_call(cudaErrorInvalidValue);
  return add_node(node, graph, after, count, cudaGraphNodeTypeHost, [&] {
    return cudaLaunchHostFunc(nullptr, parameters->fn, parameters->userData);
  });
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *after, size_t count) {
  return add_node(node, graph, after, count, cudaGraphNodeTypeEmpty, [] {
    return run_or_capture(nullptr, cudaGraphNodeTypeEmpty, [] { return cudaSuccess; });
  });
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *after, size_t count,
                                       cudaGraph_t child) {
  if (!graphs().has(child)) return finish_call(cudaErrorInvalidValue);
  if (has_memory_nodes(child->nodes)) return refuse_memory_nodes("a node of another one");
  const Nodes nodes = in_order(*child);
  const cudaError_t error = add_node(node, graph, after, count, cudaGraphNodeTypeGraph, [&] {
    return run_or_capture(nullptr, cudaGraphNodeTypeGraph, [nodes] { return run(nodes); });
  });
  if (error == cudaSuccess) (*node)->child = nodes;
  return error;
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *after, size_t count,
                                     cudaMemAllocNodeParams *parameters) {
  if (!parameters || parameters->poolProps.allocType != cudaMemAllocationTypePinned ||
      parameters->poolProps.location.type != cudaMemLocationTypeDevice ||
      parameters->poolProps.location.id != current_device())
    return finish_call(cudaErrorInvalidValue);
  if (!this_device().pools) return finish_call(cudaErrorNotSupported);
  const void *caller = __builtin_return_address(0);
  return add_node(node, graph, after, count, cudaGraphNodeTypeMemAlloc, [=] {
    return allocate_in_graph(&parameters->dptr, parameters->bytesize, nullptr, caller);
  });
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *after, size_t count, void *pointer) {
  const void *caller = __builtin_return_address(0);
  return add_node(node, graph, after, count, cudaGraphNodeTypeMemFree,
                  [=] { return free_in_graph(pointer, nullptr, caller); });
}
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           cudaMemAllocNodeParams *parameters) {
  if (!node || !parameters || node->type != cudaGraphNodeTypeMemAlloc)
    return finish_call(cudaErrorInvalidValue);
  *parameters = {};
  parameters->poolProps.allocType = cudaMemAllocationTypePinned;
  parameters->poolProps.location = {cudaMemLocationTypeDevice, device_of(node->memory->address())};
  parameters->bytesize = node->memory->bytes();
  parameters->dptr = node->memory->address();
  return finish_call(cudaSuccess);
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *pointer) {
  if (!node || !pointer || node->type != cudaGraphNodeTypeMemFree)
    return finish_call(cudaErrorInvalidValue);
  *static_cast<void **>(pointer) = node->memory->address();
  return finish_call(cudaSuccess);
}
cudaError_t cudaDeviceGraphMemTrim(int device) {
  return finish_call(is_device(device) ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
                                     size_t count) {
  if (!graphs().has(graph) || data || (count && (!from || !to)))
    return finish_call(cudaErrorInvalidValue);
  for (std::size_t i = 0; i < count; ++i) {
    if (from[i] == to[i] || !has(*graph, from[i]) || !has(*graph, to[i]))
      return finish_call(cudaErrorInvalidValue);
    to[i]->after.push_back(from[i]);
  }
  return finish_call(cudaSuccess);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph,
                                 unsigned long long flags) {
  if (!executable || !graphs().has(graph)) return finish_call(cudaErrorInvalidValue);
  std::vector nodes = in_order(*graph);
  if (nodes.size() != graph->nodes.size()) {
    explain("the edges of the graph make a circle");
    return finish_call(cudaErrorInvalidValue);
  }
  std::shared_ptr<int> instance;
  if (has_memory_nodes(nodes)) {
    if (!graph->instance.expired()) {
      explain("a graph with memory of its own has one executable graph at a time");
      return finish_call(cudaErrorInvalidValue);
    }
    graph->instance = instance = std::make_shared<int>();
  }
  const bool frees = flags & cudaGraphInstantiateFlagAutoFreeOnLaunch;
  *executable = executables().create(
      {std::move(nodes), exits(graph->nodes), {}, next_number(), frees, std::move(instance)});
  return finish_call(cudaSuccess);
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *result) {
  if (!result || !executables().has(executable) || !graphs().has(graph))
    return finish_call(cudaErrorInvalidValue);
  Update update = compare(executable->nodes, executable->exits, graph->nodes);
  *result = update.info;
  if (result->result != cudaGraphExecUpdateSuccess)
    return finish_call(cudaErrorGraphExecUpdateFailure);
  executable->replaced = std::move(update.pairs);
  return finish_call(cudaSuccess);
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams *parameters) {
  if (!parameters || !executables().has(executable)) return finish_call(cudaErrorInvalidValue);
  const Nodes &nodes = executable->nodes;
  if (std::none_of(nodes.begin(), nodes.end(), [&](auto &one) { return one.get() == node; })) {
    explain("the executable graph was not made from a graph with this node");
    return finish_call(cudaErrorInvalidValue);
  }
  CUgraph_st single;
  cudaError_t error;
  {
    const RecordInto recording(&single);
    error = launch(*parameters);
  }
  if (error == cudaSuccess) executable->replaced[node] = single.nodes.at(0);
  return finish_call(error);
}
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
  return finish_call(executables().has(executable) && is_stream(stream) ? cudaSuccess
                                                                        : cudaErrorInvalidValue);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  if (!executables().has(executable)) {
    explain("there is no such executable graph, or it has been destroyed");
    return finish_call(cudaErrorInvalidValue);
  }
  if (capturing(stream) && executable->instance)
    return refuse_memory_nodes("a node of another one");
  return run_or_capture(stream, cudaGraphNodeTypeGraph,
                        [executable] { return run_launch(*executable); });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return finish_call(executables().destroy(executable) ? cudaSuccess : cudaErrorInvalidValue);
}
