// Streams and events are handles only: every call has finished when it returns.
#pragma once

#include "cuda_runtime.h"

namespace cuda_on_cpu {

bool is_stream(cudaStream_t stream);  // one of the default streams, or created and not destroyed

}  // namespace cuda_on_cpu
