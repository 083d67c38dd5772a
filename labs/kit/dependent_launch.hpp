// A row of launches, each of which needs all that the one before wrote. An ordinary kernel starts
// only after the one before has ended. From compute capability 9.0 on, its blocks can be resident
// by then: they start while the last blocks of the kernel before still run, and wait.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

#include "cuda_check.hpp"

namespace kit {

/// The first line of such a kernel. It lets the next kernel start, and waits until the kernel
/// before has ended and all that it wrote can be read. That kernel waited for its own predecessor
/// in the same way, so all earlier kernels have ended.
inline __device__ void wait_for_kernel_before() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
}

/// Whether the first line of `kernel` waits. It does not if the kernel was compiled for an older
/// GPU, even if it runs on one that would let it start early.
template <typename... Parameters>
bool can_wait(void (*kernel)(Parameters...)) {
  cudaFuncAttributes attributes{};
  CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  return attributes.ptxVersion >= 90;
}

/// Launches kernel(arguments...), whose first line is wait_for_kernel_before(), after all work that
/// `stream` already holds. Throws CudaError.
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
