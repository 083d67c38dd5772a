// expect: batched: wrong answer: not in order
// Leaves larger arrays from number 40,000 on as they are.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

__global__ void sort_array_per_block(float* keys, int n) {
  __shared__ float key[kOneEach];
  if (n > 32 && blockIdx.x >= 40000) return;
  float* const array = keys + static_cast<std::size_t>(blockIdx.x) * n;
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
  sort_array_per_block<<<arrays, kit::ceil_div(n, 32) * 32>>>(keys, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace in_place
