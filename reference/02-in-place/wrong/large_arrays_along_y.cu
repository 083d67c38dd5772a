// expect on cpu: batched: crashed: 40, 65600
// Arrays of a warp are in the first dimension of the grid, larger ones in the second, which has at
// most 65,535 blocks.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

__global__ void sort_array_per_block(float* keys, int n) {
  __shared__ float key[kOneEach];
  float* const array = keys + static_cast<std::size_t>(blockIdx.x + blockIdx.y) * n;
  const int t = threadIdx.x;
  const float mine = t < n ? array[t] : 0.0f;
  if (t < n) key[t] = mine;
  __syncthreads();
  if (t >= n) return;
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += key[j] < mine || (key[j] == mine && j < t);
  array[rank] = mine;
}

void batched(float* keys, int n, int arrays) {
  if (n == 0 || arrays == 0) return;
  const dim3 blocks = n <= 32 ? dim3(arrays) : dim3(1, arrays);
  sort_array_per_block<<<blocks, kit::ceil_div(n, 32) * 32>>>(keys, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace in_place
