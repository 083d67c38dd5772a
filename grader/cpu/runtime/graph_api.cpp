#include "capture.hpp"
#include "kernel_registry.hpp"
#include "registry.hpp"

struct CUgraphExec_st {
  std::vector<std::shared_ptr<CUgraphNode_st>> nodes;
  std::unordered_map<const CUgraphNode_st *, std::shared_ptr<CUgraphNode_st>> replaced;
};

namespace cuda_on_cpu {
namespace {

auto &graphs() { return Registry<CUgraph_st>::instance(); }
auto &executables() { return Registry<CUgraphExec_st>::instance(); }

// `call` is an ordinary asynchronous call; it becomes the graph's last node.
template <class Call>
cudaError_t add_node(cudaGraphNode_t *node, cudaGraph_t graph, cudaGraphNodeType type, Call call) {
  if (!node || !graphs().has(graph)) return finish_call(cudaErrorInvalidValue);
  const std::size_t before = graph->nodes.size();
  cudaError_t error;
  {
    const RecordInto recording(graph);
    error = call();
  }
  if (error != cudaSuccess || graph->nodes.size() == before) return finish_call(error);
  graph->nodes.back()->type = type;
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
          cudaMemcpy(row, values.data(), wanted.width * sizeof(Element), cudaMemcpyHostToDevice);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  };
  if (wanted.elementSize == 1) return write(static_cast<unsigned char>(wanted.value));
  if (wanted.elementSize == 2) return write(static_cast<unsigned short>(wanted.value));
  return wanted.elementSize == 4 ? write(wanted.value) : cudaErrorInvalidValue;
}

cudaError_t run(const std::vector<std::shared_ptr<CUgraphNode_st>> &nodes,
                const CUgraphExec_st *executable = nullptr) {
  for (const auto &node : nodes) {
    const CUgraphNode_st *now = node.get();
    if (executable)
      if (const auto found = executable->replaced.find(now); found != executable->replaced.end())
        now = found->second.get();
    if (const cudaError_t error = now->operation(); error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace
}  // namespace cuda_on_cpu

using namespace cuda_on_cpu;

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (!is_stream(stream)) return finish_call(cudaErrorInvalidResourceHandle);
  if (is_default_stream(stream)) return finish_call(cudaErrorStreamCaptureUnsupported);
  if (stream->capture) return finish_call(cudaErrorIllegalState);
  stream->capture = graphs().create();
  stream->began_capture = true;
  count_capture(1);
  return finish_call(cudaSuccess);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  if (!is_stream(stream)) return finish_call(cudaErrorInvalidResourceHandle);
  if (!graph) return finish_call(cudaErrorInvalidValue);
  *graph = nullptr;
  if (is_default_stream(stream) || !stream->capture) return finish_call(cudaErrorIllegalState);
  if (!stream->began_capture) return finish_call(cudaErrorStreamCaptureUnmatched);
  CUgraph_st *captured = stream->capture;
  Registry<CUstream_st>::instance().for_each([captured](CUstream_st &any) {
    if (any.capture == captured) any.capture = nullptr, any.began_capture = false;
  });
  Registry<CUevent_st>::instance().for_each([captured](CUevent_st &any) {
    if (any.capture == captured) any.capture = nullptr;
  });
  count_capture(-1);
  if (captured->invalidated) {
    graphs().destroy(captured);
    return finish_call(cudaErrorStreamCaptureInvalidated);
  }
  *graph = captured;
  return finish_call(cudaSuccess);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
  if (!is_stream(stream)) return finish_call(cudaErrorInvalidResourceHandle);
  if (!status) return finish_call(cudaErrorInvalidValue);
  const CUgraph_st *graph = is_default_stream(stream) ? nullptr : stream->capture;
  *status = !graph               ? cudaStreamCaptureStatusNone
            : graph->invalidated ? cudaStreamCaptureStatusInvalidated
                                 : cudaStreamCaptureStatusActive;
  return finish_call(cudaSuccess);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *argument) {
  if (!function) return finish_call(cudaErrorInvalidValue);
  return run_or_capture(stream, cudaGraphNodeTypeHost, [=] {
    function(argument);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function,
                                  void *argument, unsigned flags) {
  if (!function || flags) return finish_call(cudaErrorInvalidValue);
  if (const cudaError_t error = refuse_while_captured(stream)) return finish_call(error);
  return run_or_capture(stream, cudaGraphNodeTypeHost, [=] {
    function(stream, sticky_error(), argument);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
  if (!graph || flags) return finish_call(cudaErrorInvalidValue);
  *graph = graphs().create();
  return finish_call(cudaSuccess);
}
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
  if (!clone || !graphs().has(graph)) return finish_call(cudaErrorInvalidValue);
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
                                   const cudaGraphNode_t *, size_t,
                                   const cudaKernelNodeParams *parameters) {
  if (!parameters) return finish_call(cudaErrorInvalidValue);
  return add_node(node, graph, cudaGraphNodeTypeKernel, [&] { return launch(*parameters); });
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *, size_t,
                                   const cudaMemcpy3DParms *parameters) {
  if (!parameters) return finish_call(cudaErrorInvalidValue);
  return add_node(node, graph, cudaGraphNodeTypeMemcpy,
                  [&] { return cudaMemcpy3DAsync(parameters, nullptr); });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *, size_t, void *to, const void *from,
                                     size_t bytes, cudaMemcpyKind kind) {
  return add_node(node, graph, cudaGraphNodeTypeMemcpy,
                  [&] { return cudaMemcpyAsync(to, from, bytes, kind, nullptr); });
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *, size_t,
                                   const cudaMemsetParams *parameters) {
  if (!parameters) return finish_call(cudaErrorInvalidValue);
  return add_node(node, graph, cudaGraphNodeTypeMemset, [&] {
    return run_or_capture(nullptr, cudaGraphNodeTypeMemset,
                          [wanted = *parameters] { return fill(wanted); });
  });
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *,
                                 size_t, const cudaHostNodeParams *parameters) {
  if (!parameters) return finish_call(cudaErrorInvalidValue);
  return add_node(node, graph, cudaGraphNodeTypeHost, [&] {
    return cudaLaunchHostFunc(nullptr, parameters->fn, parameters->userData);
  });
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *,
                                  size_t) {
  return add_node(node, graph, cudaGraphNodeTypeEmpty, [] {
    return run_or_capture(nullptr, cudaGraphNodeTypeEmpty, [] { return cudaSuccess; });
  });
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *, size_t, cudaGraph_t child) {
  if (!graphs().has(child)) return finish_call(cudaErrorInvalidValue);
  return add_node(node, graph, cudaGraphNodeTypeGraph, [&] {
    return run_or_capture(nullptr, cudaGraphNodeTypeGraph,
                          [nodes = child->nodes] { return run(nodes); });
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph,
                                 unsigned long long) {
  if (!executable || !graphs().has(graph)) return finish_call(cudaErrorInvalidValue);
  *executable = executables().create({graph->nodes, {}});
  return finish_call(cudaSuccess);
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *result) {
  if (!result || !executables().has(executable) || !graphs().has(graph))
    return finish_call(cudaErrorInvalidValue);
  const bool same = executable->nodes.size() == graph->nodes.size();
  *result = {same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged, nullptr,
             nullptr};
  if (!same) return finish_call(cudaErrorGraphExecUpdateFailure);
  *executable = {graph->nodes, {}};
  return finish_call(cudaSuccess);
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams *parameters) {
  if (!parameters || !executables().has(executable)) return finish_call(cudaErrorInvalidValue);
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
  if (!executables().has(executable)) return finish_call(cudaErrorInvalidValue);
  return run_or_capture(stream, cudaGraphNodeTypeGraph,
                        [executable] { return run(executable->nodes, executable); });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return finish_call(executables().destroy(executable) ? cudaSuccess : cudaErrorInvalidValue);
}
