// expect on cpu: registers: crashed: outside of the array
// A thread has room for eleven keys; beyond 11,264 keys it has twelve.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

__global__ void __launch_bounds__(kOneEach) sort_in_registers(float* keys, int n, int each) {
  extern __shared__ float key[];
  const int t = threadIdx.x;
  for (int i = t; i < n; i += kOneEach) key[i] = keys[i];
  __syncthreads();
  float mine[11];
  int rank[12];
  for (int k = 0; k < each; ++k) {
    const int i = k * kOneEach + t;
    mine[k] = i < n ? key[i] : 0.0f;
    rank[k] = 0;
    for (int j = 0; j < n; ++j) rank[k] += key[j] < mine[k] || (key[j] == mine[k] && j < i);
  }
  for (int k = 0; k < each; ++k)
    if (k * kOneEach + t < n) keys[rank[k]] = mine[k];
}

void registers(float* keys, int n) {
  if (n == 0) return;
  sort_in_registers<<<1, kOneEach, n * sizeof(float)>>>(keys, n, kit::ceil_div(n, kOneEach));
}

}  // namespace in_place
