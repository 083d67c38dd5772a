// Launches in a row, each of which needs all that the one before wrote. An ordinary kernel is sent
// for when the one before has ended. From compute capability 9.0 on its blocks can be on their
// places by then: they move in while the last blocks before them run, and wait.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

#include "cuda_check.hpp"

namespace kit {

/// The first line of such a kernel: the next one may move in; this one goes on when the one before
/// has ended and all that it wrote can be read. That one did the same, so all of them have.
inline __device__ void wait_for_kernel_before() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
}

/// Does this device let a kernel move in before the last one has ended?
inline bool kernels_move_in_early() {
  static const bool answer = [] {
    int major = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    return major >= 9;
  }();
  return answer;
}

/// Launches kernel(arguments...), whose first line is wait_for_kernel_before(), behind whatever
/// `stream` holds. Throws CudaError.
template <typename... Parameters>
void launch_behind(cudaStream_t stream, void (*kernel)(Parameters...), unsigned blocks,
                   unsigned threads, std::size_t shared_bytes,
                   std::type_identity_t<Parameters>... arguments) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(blocks);
  launch.blockDim = dim3(threads);
  launch.dynamicSmemBytes = shared_bytes;
  launch.stream = stream;
  launch.attrs = &early;
  launch.numAttrs = kernels_move_in_early() ? 1 : 0;
  CUDA_CHECK(cudaLaunchKernelEx(&launch, kernel, arguments...));
}

}  // namespace kit
