// The calls that begin and end the capture of a stream, and functions of the host in a stream.
#include <algorithm>
#include <string>

#include "messages/failures.hpp"
#include "streams/capture.hpp"
#include "streams/graph_order.hpp"
#include "streams/registry.hpp"

using namespace cuda_on_cpu;

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  if (!is_stream(stream)) return finish_call(cudaErrorInvalidResourceHandle);
  CUstream_st *own = capturable(stream);
  if (!own) return finish_call(cudaErrorStreamCaptureUnsupported);
  if (own->capture) return finish_call(cudaErrorIllegalState);
  own->capture = graphs().create();
  own->began_capture = true;
  begin_capture(own->capture, *own, mode);
  count_capture(1);
  return finish_call(cudaSuccess);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  if (!is_stream(stream)) return finish_call(cudaErrorInvalidResourceHandle);
  if (!graph) return finish_call(cudaErrorInvalidValue);
  *graph = nullptr;
  const CUstream_st *own = capturable(stream);
  if (!own || !own->capture) {
    explain("this stream is not being captured: cudaStreamBeginCapture() was not called for it");
    return finish_call(cudaErrorIllegalState);
  }
  if (!own->began_capture) return finish_call(cudaErrorStreamCaptureUnmatched);
  CUgraph_st *captured = own->capture;
  const auto joined = ancestors(own->last);
  const bool all_joined =
      std::all_of(captured->nodes.begin(), captured->nodes.end(),
                  [&](const auto &node) { return joined.contains(node.get()); });
  const auto leave = [captured](CUstream_st &any) {
    if (any.capture != captured) return;
    any.capture = nullptr;
    any.began_capture = false;
    any.last.clear();
  };
  Registry<CUstream_st>::instance().for_each(leave);
  leave(*capturable(cudaStreamPerThread));
  Registry<CUevent_st>::instance().for_each([captured](CUevent_st &any) {
    if (any.capture == captured) any.capture = nullptr;
  });
  end_capture(captured);
  count_capture(-1);
  if (captured->invalidated || !all_joined) {
    const bool invalidated = captured->invalidated;
    if (invalidated)
      explain(std::string("a call during the capture has failed: ") + captured->reason);
    graphs().destroy(captured);
    return finish_call(invalidated ? cudaErrorStreamCaptureInvalidated
                                   : cudaErrorStreamCaptureUnjoined);
  }
  *graph = captured;
  return finish_call(cudaSuccess);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
  if (!is_stream(stream)) return finish_call(cudaErrorInvalidResourceHandle);
  if (!status) return finish_call(cudaErrorInvalidValue);
  const CUstream_st *own = capturable(stream);
  const CUgraph_st *graph = own ? own->capture : nullptr;
  *status = !graph               ? cudaStreamCaptureStatusNone
            : graph->invalidated ? cudaStreamCaptureStatusInvalidated
                                 : cudaStreamCaptureStatusActive;
  return finish_call(cudaSuccess);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *argument) {
  if (!function) return finish_call(cudaErrorInvalidValue);
  return run_or_capture(stream, cudaGraphNodeTypeHost, [=] {
    const HostFunction now;
    function(argument);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function,
                                  void *argument, unsigned flags) {
  if (!function || flags) return finish_call(cudaErrorInvalidValue);
  if (const cudaError_t error = refuse_while_captured(stream)) return finish_call(error);
  return run_or_capture(stream, cudaGraphNodeTypeHost, [=] {
    const HostFunction now;
    function(stream, sticky_error(), argument);
    return cudaSuccess;
  });
}
