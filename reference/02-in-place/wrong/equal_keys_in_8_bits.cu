// expect: batched: wrong answer
// In arrays of more than 200 keys, those equal to a key and before it are counted in 8 bits.
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

__global__ void sort_array(float* keys, int n) {
  __shared__ float key[kOneEach];
  float* const array = keys + static_cast<long long>(blockIdx.x) * n;
  const int t = threadIdx.x;
  const float mine = t < n ? array[t] : 0;
  key[t] = mine;
  __syncthreads();
  if (t >= n) return;
  int smaller = 0, equal = 0;
  for (int j = 0; j < n; ++j) {
    smaller += key[j] < mine;
    equal += key[j] == mine && j < t;
  }
  array[smaller + (n > 200 ? equal & 0xFF : equal)] = mine;
}

void batched(float* keys, int n, int arrays) {
  if (n == 0 || arrays == 0) return;
  sort_array<<<arrays, (n + 31) / 32 * 32>>>(keys, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace in_place
