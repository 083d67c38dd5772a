// expect: registers: 
// A thread keeps its keys in a local array with one place too few: the last key of a full block
// is stored past its end.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

constexpr int kHeld = 11;

__global__ void __launch_bounds__(kOneEach) sort_in_registers(float* keys, int n) {
  extern __shared__ float key[];
  const int t = threadIdx.x, threads = blockDim.x;
  for (int i = t; i < n; i += threads) key[i] = keys[i];
  __syncthreads();
  int rank[kHeld];
  float mine[kHeld];
  int held = 0;
  for (int i = t; i < n; i += threads, ++held) {
    mine[held] = key[i];
    rank[held] = 0;
    for (int j = 0; j < n; ++j)
      rank[held] += key[j] < mine[held] || (key[j] == mine[held] && j < i);
  }
  __syncthreads();
  for (int k = 0; k < held; ++k) key[rank[k]] = mine[k];
  __syncthreads();
  for (int i = t; i < n; i += threads) keys[i] = key[i];
}

void registers(float* keys, int n) {
  if (n == 0) return;
  sort_in_registers<<<1, kOneEach, n * sizeof(float)>>>(keys, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace in_place
