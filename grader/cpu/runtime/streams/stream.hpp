// Streams and events. Outside a capture they are only handles: every call has finished when it
// returns.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

#include "cuda_runtime.h"

struct CUstream_st {
  unsigned flags = cudaStreamDefault;
  int priority = 0;
  std::uint64_t number = 0;
  std::string name = {};              // of the variable that holds the handle, if that is known
  CUgraph_st *capture = nullptr;      // the graph that this stream's calls go to
  bool began_capture = false;
  std::vector<cudaGraphNode_t> last = {};  // of a capture: the next node comes after these
  int device = 0;
};

struct CUevent_st {
  bool has_timing = true, recorded = false;
  timespec time{};
  std::uint64_t number = 0;
  CUgraph_st *capture = nullptr;  // recorded in a captured stream: a stream that waits for it joins
  std::vector<cudaGraphNode_t> last = {};
  int device = 0;
};

namespace cuda_on_cpu {

bool is_stream(cudaStream_t stream);  // one of the default streams, or created and not destroyed
bool is_default_stream(cudaStream_t stream);
// What a stream that can be captured keeps; null for the legacy default stream, which cannot.
CUstream_st *capturable(cudaStream_t stream);

}  // namespace cuda_on_cpu
