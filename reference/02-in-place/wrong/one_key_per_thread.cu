// expect: registers: wrong answer
// A thread serves one key: all keys after the first 1024 stay where they were.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

__global__ void sort_in_registers(float* keys, int n) {
  extern __shared__ float key[];
  const int t = threadIdx.x;
  for (int i = t; i < n; i += blockDim.x) key[i] = keys[i];
  __syncthreads();
  const float mine = t < n ? key[t] : 0.0f;
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += key[j] < mine || (key[j] == mine && j < t);
  if (t < n) keys[rank] = mine;
}

void registers(float* keys, int n) {
  if (n == 0) return;
  sort_in_registers<<<1, kOneEach, n * sizeof(float)>>>(keys, n);
}

}  // namespace in_place
