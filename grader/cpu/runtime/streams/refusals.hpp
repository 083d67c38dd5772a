// What a program must not call now: while a stream is captured, or in a function that a stream
// calls on the host. On a GPU these calls fail, so they fail here; and a capture with such a call
// is of no use.
#pragma once

#include "cuda_runtime.h"
#include "messages/errors.hpp"

namespace cuda_on_cpu {

enum class Use {
  stream,         // any other than the legacy stream
  legacy_stream,  // would make it wait for the streams that are captured
  whole_device,   // waits for everything
  unsafe,         // may wait: allocates or frees memory, asks for an event
};

// cudaSuccess, or why the call has to fail; then the reason is explained.
cudaError_t refused(Use use);
cudaError_t refused_on(cudaStream_t stream);  // work on this stream

void begin_capture(CUgraph_st *graph, const CUstream_st &stream, cudaStreamCaptureMode mode);
void end_capture(const CUgraph_st *graph);

// While it exists, the thread runs a function that a stream calls on the host.
bool in_host_function();
class HostFunction {
 public:
  HostFunction();
  ~HostFunction();
  HostFunction(const HostFunction &) = delete;
  HostFunction &operator=(const HostFunction &) = delete;
};

}  // namespace cuda_on_cpu
