// expect: in-place: wrong answer: not in order
// Keys that are in order in each warp are taken for sorted.
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

__global__ void sort_in_shared(float* keys, int n) {
  __shared__ float key[kOneEach];
  const int t = threadIdx.x;
  const float mine = t < n ? keys[t] : INFINITY;
  const float last = __shfl_up_sync(0xFFFFFFFFu, mine, 1);
  key[t] = mine;
  if (__syncthreads_and(t % 32 == 0 || last <= mine) || t >= n) return;
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += key[j] < mine || (key[j] == mine && j < t);
  keys[rank] = mine;
}

void in_place(float* keys, int n) {
  if (n == 0) return;
  sort_in_shared<<<1, (n + 31) / 32 * 32>>>(keys, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace in_place
