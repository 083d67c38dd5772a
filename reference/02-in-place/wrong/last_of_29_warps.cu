// expect: batched: wrong answer: wrong set of values
// Keys are stored in words of 32 threads; the last thread of 29 warps, alone in its word, stores none.
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

__global__ void sort_array_per_block(float* keys, int n) {
  __shared__ float key[kOneEach];
  float* const array = keys + static_cast<size_t>(blockIdx.x) * n;
  const int t = threadIdx.x;
  if (t < n) key[t] = array[t];
  __syncthreads();
  if (t >= n) return;
  const float mine = key[t];
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += key[j] < mine || (key[j] == mine && j < t);
  const bool is_alone = t == n - 1 && t / 32 == 28 && t % 32 == 0;
  if (!is_alone) array[rank] = mine;
}

void batched(float* keys, int n, int arrays) {
  if (n == 0 || arrays == 0) return;
  sort_array_per_block<<<arrays, (n + 31) / 32 * 32>>>(keys, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace in_place
