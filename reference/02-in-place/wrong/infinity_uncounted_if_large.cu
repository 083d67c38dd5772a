// expect: registers: wrong answer
// Counts from the end, the larger keys. Where a thread has several keys, infinity is taken for padding, which does not count.
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

constexpr int kEach = 12;

__global__ void __launch_bounds__(1024) sort_in_registers(float* keys, int n) {
  extern __shared__ float key[];
  const int t = threadIdx.x;
  const bool large = n > 1024;
  for (int i = t; i < n; i += 1024) key[i] = keys[i];
  __syncthreads();
  float mine[kEach];
  int behind[kEach] = {};
  for (int k = 0; k < kEach; ++k) mine[k] = k * 1024 + t < n ? key[k * 1024 + t] : 0;
  for (int j = 0; j < n; ++j) {
    const float other = key[j];
    for (int k = 0; k < kEach; ++k) {
      const bool counts = !large || other < INFINITY || mine[k] == INFINITY;
      behind[k] += counts && (other > mine[k] || (other == mine[k] && j > k * 1024 + t));
    }
  }
  __syncthreads();
  for (int k = 0; k < kEach; ++k)
    if (k * 1024 + t < n) key[n - 1 - behind[k]] = mine[k];
  __syncthreads();
  for (int i = t; i < n; i += 1024) keys[i] = key[i];
}

void registers(float* keys, int n) {
  if (n == 0) return;
  sort_in_registers<<<1, 1024, n * sizeof(float)>>>(keys, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace in_place
