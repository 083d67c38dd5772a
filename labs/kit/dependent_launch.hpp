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

/// Does `kernel` wait by its first line? Not if it was compiled for an older GPU, though it runs on
/// one that would let it move in early.
template <typename... Parameters>
bool can_wait(void (*kernel)(Parameters...)) {
  cudaFuncAttributes attributes{};
  CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  return attributes.ptxVersion >= 90;
}

/// Launches kernel(arguments...), whose first line is wait_for_kernel_before(), behind whatever
/// `stream` holds. Throws CudaError.
template <typename... Parameters>
void launch_behind(cudaStream_t stream, void (*kernel)(Parameters...), unsigned blocks,
                   unsigned threads, std::size_t shared_bytes,
                   std::type_identity_t<Parameters>... arguments) {
  static const bool is_early = can_wait(kernel);  // asked once: a program is compiled for one GPU
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(blocks);
  launch.blockDim = dim3(threads);
  launch.dynamicSmemBytes = shared_bytes;
  launch.stream = stream;
  launch.attrs = &early;
  launch.numAttrs = is_early ? 1 : 0;
  CUDA_CHECK(cudaLaunchKernelEx(&launch, kernel, arguments...));
}

}  // namespace kit
