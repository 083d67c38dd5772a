// The error state of the runtime API.
#pragma once

#include "cuda_runtime.h"

namespace cuda_on_cpu {

// Remembers a failure for cudaGetLastError() and returns what the call has to return. After a
// kernel has died this is always the kernel's error, whatever the call did.
cudaError_t finish_call(cudaError_t error);

cudaError_t sticky_error();
void set_sticky_error(cudaError_t error);  // only cudaDeviceReset() passes cudaSuccess

}  // namespace cuda_on_cpu
