// What cuBLAS and cuRAND do here: plain kernels, so a checker and a counter see them.
#pragma once

#include "../cuda_runtime.h"

#define CUDA_ON_CPU_KERNEL CUDA_ON_CPU_WATCHED(__attribute__((noinline)))

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

// Calls body(i) on the device for each i below `count`, which is not negative.
template <class Body>
cudaError_t for_each(const char *name, cudaStream_t stream, long long count, Body body) {
  if (count == 0) return cudaSuccess;
  constexpr int kThreads = 128;
  const dim3 grid(static_cast<unsigned>((count + kThreads - 1) / kThreads));
  return Launch{Configuration(grid, kThreads, 0, stream), name, {name, 0}}.run_deduced(
      [](auto of_thread, long long last) CUDA_ON_CPU_KERNEL {
        const long long i = 1ll * blockIdx.x * blockDim.x + threadIdx.x;
        if (i < last) of_thread(i);
      },
      body, count);
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
