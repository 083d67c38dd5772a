// expect: batched: wrong answer
// Each thread has two keys where there are more than 512: the last key of an odd number has no thread.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

__global__ void sort_array(float* keys, int n, int each) {
  __shared__ float key[kOneEach];
  float* const array = keys + static_cast<std::size_t>(blockIdx.x) * n;
  const int t = threadIdx.x, threads = n / each;
  for (int i = t; i < n; i += blockDim.x) key[i] = array[i];
  __syncthreads();
  if (t >= threads) return;
  for (int i = t * each; i < (t + 1) * each; ++i) {
    const float mine = key[i];
    int rank = 0;
    for (int j = 0; j < n; ++j) rank += key[j] < mine || (key[j] == mine && j < i);
    array[rank] = mine;
  }
}

void batched(float* keys, int n, int arrays) {
  if (n == 0 || arrays == 0) return;
  const int each = n > 512 ? 2 : 1;
  sort_array<<<arrays, kit::ceil_div(kit::ceil_div(n, each), 32) * 32>>>(keys, n, each);
  CUDA_CHECK_LAUNCH();
}

}  // namespace in_place
