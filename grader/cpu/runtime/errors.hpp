// The error state of the runtime API.
#pragma once

#include "cuda_runtime.h"

namespace cuda_on_cpu {

// Remembers a failure for cudaGetLastError() and returns what the call has to return: once a kernel
// has died, its error, whatever the call did.
cudaError_t finish_call(cudaError_t error);

cudaError_t sticky_error();
void set_sticky_error(cudaError_t error);  // cudaSuccess only by cudaDeviceReset()

}  // namespace cuda_on_cpu
