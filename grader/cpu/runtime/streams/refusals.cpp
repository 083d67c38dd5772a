#include "streams/refusals.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include "base/own_mutex.hpp"
#include "messages/failures.hpp"
#include "streams/capture.hpp"
#include "streams/stream.hpp"

namespace cuda_on_cpu {
namespace {

struct Capture {
  CUgraph_st *graph;
  bool is_blocking;  // the stream and the legacy stream wait for each other
  cudaStreamCaptureMode mode;
  std::thread::id thread;
};

OwnMutex mutex;
[[gnu::init_priority(200)]] std::vector<Capture> active;
thread_local int host_functions = 0;

bool forbids(const Capture &capture, Use use) {
  if (use == Use::whole_device) return true;
  if (use == Use::legacy_stream) return capture.is_blocking;
  return use == Use::unsafe &&
         (capture.mode == cudaStreamCaptureModeGlobal ||
          (capture.mode == cudaStreamCaptureModeThreadLocal &&
           capture.thread == std::this_thread::get_id()));
}

const char *reason_for(Use use) {
  if (use == Use::legacy_stream)
    return "the default stream would have to wait for a stream that is captured; give this work to "
           "the captured stream, or capture a stream made with cudaStreamNonBlocking";
  if (use == Use::whole_device)
    return "a stream is captured: its work does not run yet, so nothing can wait for it";
  return "a stream is captured, and this call may have to wait: call it before "
         "cudaStreamBeginCapture()";
}

}  // namespace

cudaError_t refused(Use use) {
  if (host_functions) {
    explain("a function that a stream calls on the host must not call CUDA");
    return cudaErrorNotPermitted;
  }
  if (!any_capture() || is_recording_node()) return cudaSuccess;
  const std::lock_guard lock(mutex);
  bool found = false;
  for (const Capture &capture : active)
    if (forbids(capture, use)) found = true, capture.graph->invalidate(reason_for(use));
  if (!found) return cudaSuccess;
  explain(reason_for(use));
  return use == Use::legacy_stream ? cudaErrorStreamCaptureImplicit
                                   : cudaErrorStreamCaptureUnsupported;
}

cudaError_t refused_on(cudaStream_t stream) {
  const bool is_legacy = stream == nullptr || stream == cudaStreamLegacy;
  return refused(is_legacy ? Use::legacy_stream : Use::stream);
}

void begin_capture(CUgraph_st *graph, const CUstream_st &stream, cudaStreamCaptureMode mode) {
  const std::lock_guard lock(mutex);
  active.push_back(
      {graph, !(stream.flags & cudaStreamNonBlocking), mode, std::this_thread::get_id()});
}

void end_capture(const CUgraph_st *graph) {
  const std::lock_guard lock(mutex);
  std::erase_if(active, [graph](const Capture &capture) { return capture.graph == graph; });
}

bool in_host_function() { return host_functions > 0; }
HostFunction::HostFunction() { ++host_functions; }
HostFunction::~HostFunction() { --host_functions; }

}  // namespace cuda_on_cpu
