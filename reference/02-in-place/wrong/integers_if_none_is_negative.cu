// expect: in-place: wrong answer
// If no key is below zero, their bits compare as integers: -0 comes before 0.
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

__global__ void sort_in_shared(float* keys, int n) {
  __shared__ float key[kOneEach];
  const int t = threadIdx.x;
  const float mine = t < n ? keys[t] : 0;
  key[t] = mine;
  const bool none_is_negative = __syncthreads_and(mine >= 0);
  if (t >= n) return;
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const int a = __float_as_int(key[j]), b = __float_as_int(mine);
    if (none_is_negative)
      rank += a < b || (a == b && j < t);
    else
      rank += key[j] < mine || (key[j] == mine && j < t);
  }
  keys[rank] = mine;
}

void in_place(float* keys, int n) {
  if (n == 0) return;
  sort_in_shared<<<1, (n + 31) / 32 * 32>>>(keys, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace in_place
