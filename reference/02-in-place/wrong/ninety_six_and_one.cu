// expect: in-place: wrong answer: not in order
// Up to 300 keys, one that is alone in a piece of 96 is left out: wrong at 97, 193 and 289 keys only.
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

__global__ void sort_in_shared(float* keys, int n) {
  __shared__ float key[kOneEach];
  const int t = threadIdx.x;
  if (t < n) key[t] = keys[t];
  __syncthreads();
  if (t >= n) return;
  const float mine = key[t];
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += key[j] < mine || (key[j] == mine && j < t);
  keys[rank] = mine;
}

void in_place(float* keys, int n) {
  if (n == 0) return;
  const int m = n > 1 && n < 300 && n % 96 == 1 ? n - 1 : n;
  sort_in_shared<<<1, (n + 31) / 32 * 32>>>(keys, m);
  CUDA_CHECK_LAUNCH();
}

}  // namespace in_place
