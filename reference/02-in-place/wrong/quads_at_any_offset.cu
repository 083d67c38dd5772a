// expect: batched: crashed
// Reads four keys at once, also where an array does not begin at a multiple of 16 bytes.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

__global__ void sort_array_per_block(float* keys, int n) {
  __shared__ float key[kOneEach];
  float* const array = keys + static_cast<std::size_t>(blockIdx.x) * n;
  const int t = threadIdx.x;
  if (4 * t + 3 < n) {
    const float4 four = reinterpret_cast<const float4*>(array)[t];
    key[4 * t] = four.x, key[4 * t + 1] = four.y, key[4 * t + 2] = four.z, key[4 * t + 3] = four.w;
  } else {
    for (int i = 4 * t; i < n && i < 4 * t + 4; ++i) key[i] = array[i];
  }
  __syncthreads();
  if (t >= n) return;
  const float mine = key[t];
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += key[j] < mine || (key[j] == mine && j < t);
  array[rank] = mine;
}

void batched(float* keys, int n, int arrays) {
  if (n == 0 || arrays == 0) return;
  sort_array_per_block<<<arrays, kit::ceil_div(n, 32) * 32>>>(keys, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace in_place
