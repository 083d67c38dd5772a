#include "streams/capture.hpp"

#include <atomic>

#include "messages/failures.hpp"

namespace cuda_on_cpu {
namespace {

std::atomic<int> captures{0};
thread_local CUgraph_st *recording = nullptr;

CUgraph_st *graph_of(cudaStream_t stream) {
  if (recording) return recording;
  const CUstream_st *own = capturable(stream);
  return own ? own->capture : nullptr;
}

}  // namespace

bool any_capture() { return captures.load(std::memory_order_relaxed) != 0; }
void count_capture(int change) { captures += change; }
bool is_recording_node() { return recording != nullptr; }
CUgraph_st *capturing(cudaStream_t stream) { return any_capture() ? graph_of(stream) : nullptr; }

RecordInto::RecordInto(CUgraph_st *graph) {
  recording = graph;
  count_capture(1);
}
RecordInto::~RecordInto() {
  recording = nullptr;
  count_capture(-1);
}

cudaError_t capture(cudaStream_t stream, cudaGraphNodeType type,
                    const std::function<cudaError_t()> &operation, const void *caller, bool &kept) {
  kept = false;
  CUgraph_st *graph = graph_of(stream);
  if (!graph) return cudaSuccess;
  if (graph->invalidated) return cudaErrorStreamCaptureInvalidated;
  kept = true;
  graph->nodes.push_back(
      std::make_shared<CUgraphNode_st>(CUgraphNode_st{type, operation, next_number(), caller, {}}));
  if (!recording) {
    CUstream_st *own = capturable(stream);
    graph->nodes.back()->after = std::move(own->last);
    own->last = {graph->nodes.back().get()};
  }
  return cudaSuccess;
}

cudaError_t refuse_while_captured(cudaStream_t stream) {
  CUgraph_st *graph = capturing(stream);
  if (!graph) return cudaSuccess;
  graph->invalidate(
      "the stream is captured: its work does not run yet, so nothing can wait for it");
  explain(graph->reason);
  return cudaErrorStreamCaptureUnsupported;
}

}  // namespace cuda_on_cpu
