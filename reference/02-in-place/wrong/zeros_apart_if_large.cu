// expect: registers: wrong answer: equal keys changed places
// Where a thread has several keys, they are compared as integers, by which -0 comes before 0: but the two are equal.
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

constexpr int kEach = 12;

__device__ int word_of(float key, bool large) {
  if (key == 0 && !large) return 0;
  const int bits = __float_as_int(key);
  return bits ^ ((bits >> 31) & 0x7FFFFFFF);
}

__global__ void __launch_bounds__(1024) sort_in_registers(float* keys, int n) {
  extern __shared__ float key[];
  const int t = threadIdx.x;
  const bool large = n > 1024;
  for (int i = t; i < n; i += 1024) key[i] = keys[i];
  __syncthreads();
  float mine[kEach];
  int rank[kEach] = {};
  for (int k = 0; k < kEach; ++k) mine[k] = k * 1024 + t < n ? key[k * 1024 + t] : 0;
  for (int j = 0; j < n; ++j) {
    const int other = word_of(key[j], large);
    for (int k = 0; k < kEach; ++k) {
      const int word = word_of(mine[k], large);
      rank[k] += other < word || (other == word && j < k * 1024 + t);
    }
  }
  __syncthreads();
  for (int k = 0; k < kEach; ++k)
    if (k * 1024 + t < n) key[rank[k]] = mine[k];
  __syncthreads();
  for (int i = t; i < n; i += 1024) keys[i] = key[i];
}

void registers(float* keys, int n) {
  if (n == 0) return;
  sort_in_registers<<<1, 1024, n * sizeof(float)>>>(keys, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace in_place
