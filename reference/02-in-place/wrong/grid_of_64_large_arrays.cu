// expect: batched: wrong answer
// "A block of 1024 threads fills a multiprocessor": for large arrays at most 64 blocks, without a loop.
#include <algorithm>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

__global__ void sort_array(float* keys, int n) {
  __shared__ float key[kOneEach];
  float* const array = keys + static_cast<std::size_t>(blockIdx.x) * n;
  const int t = threadIdx.x;
  const float mine = t < n ? array[t] : 0.0f;
  key[t] = mine;
  __syncthreads();
  if (t >= n) return;
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += key[j] < mine || (key[j] == mine && j < t);
  array[rank] = mine;
}

void batched(float* keys, int n, int arrays) {
  if (n == 0 || arrays == 0) return;
  const int blocks = n > 256 ? std::min(arrays, 64) : arrays;
  sort_array<<<blocks, kit::ceil_div(n, 32) * 32>>>(keys, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace in_place
