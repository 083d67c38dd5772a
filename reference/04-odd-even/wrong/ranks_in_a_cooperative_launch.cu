// expect on cpu: tiled: wrong answer: blocks on this way did not run
// Rank sort in one cooperative launch, which copies the keys first.
#include <cooperative_groups.h>

#include <algorithm>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "odd_even.hpp"

namespace odd_even {

__device__ int rank_of(const float* keys, int i, int n) {
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += keys[j] < keys[i] || (keys[j] == keys[i] && j < i);
  return rank;
}

__global__ void sort(float* keys, float* copy, int n) {
  const int stride = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = first; i < n; i += stride) copy[i] = keys[i];
  cooperative_groups::this_grid().sync();
  for (int i = first; i < n; i += stride) keys[rank_of(copy, i, n)] = copy[i];
}

void tiled(float* keys, int n) {
  if (n == 0) return;
  const kit::DeviceBuffer<float> copy(n);
  float* to = copy.data();
  void* arguments[] = {&keys, &to, &n};
  CUDA_CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(sort),
                                         std::min(64, kit::ceil_div(n, 256)), 256, arguments, 0,
                                         nullptr));
}

}  // namespace odd_even
