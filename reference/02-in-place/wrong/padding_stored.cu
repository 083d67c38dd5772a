// expect: batched: wrote outside
// The block's spare threads hold infinity, which is right for counting. But they also store it.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

__global__ void sort_array_per_block(float* keys, int n) {
  __shared__ float key[kOneEach];
  float* const array = keys + static_cast<size_t>(blockIdx.x) * n;
  const int t = threadIdx.x;
  const float mine = t < n ? array[t] : INFINITY;
  key[t] = mine;
  __syncthreads();
  int rank = 0;
  for (int j = 0; j < blockDim.x; ++j) rank += key[j] < mine || (key[j] == mine && j < t);
  array[rank] = mine;  // missing: if (t < n)
}

void batched(float* keys, int n, int arrays) {
  if (n == 0 || arrays == 0) return;
  sort_array_per_block<<<arrays, kit::ceil_div(n, 32) * 32>>>(keys, n);
}

}  // namespace in_place
