// expect: registers: wrong answer: not in order
// Rows of a key for each thread that are in order are taken for a sorted array.
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

constexpr int kEach = 12, kThreads = 1024;

__global__ void __launch_bounds__(kThreads) sort_in_registers(float* keys, int n) {
  extern __shared__ float key[];
  const int t = threadIdx.x;
  for (int i = t; i < n; i += kThreads) key[i] = keys[i];
  __syncthreads();
  bool in_order = n > kThreads;
  for (int i = t; i < n; i += kThreads) in_order &= t == 0 || key[i - 1] <= key[i];
  if (__syncthreads_and(in_order)) return;
  float mine[kEach];
  int rank[kEach] = {};
  for (int k = 0; k < kEach; ++k) mine[k] = k * kThreads + t < n ? key[k * kThreads + t] : 0;
  for (int j = 0; j < n; ++j) {
    const float other = key[j];
    for (int k = 0; k < kEach; ++k)
      rank[k] += other < mine[k] || (other == mine[k] && j < k * kThreads + t);
  }
  __syncthreads();
  for (int k = 0; k < kEach; ++k)
    if (k * kThreads + t < n) key[rank[k]] = mine[k];
  __syncthreads();
  for (int i = t; i < n; i += kThreads) keys[i] = key[i];
}

void registers(float* keys, int n) {
  if (n == 0) return;
  sort_in_registers<<<1, kThreads, n * sizeof(float)>>>(keys, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace in_place
