// expect: batched: wrong answer: equal keys changed places
// For one array or two, keys are compared as integers, by which -0 comes before 0: but the two are equal.
#include <cstddef>

#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

__device__ int word_of(float key, bool few) {
  if (key == 0 && !few) return 0;
  const int bits = __float_as_int(key);
  return bits ^ ((bits >> 31) & 0x7FFFFFFF);
}

__global__ void sort_arrays(float* keys, int n) {
  __shared__ int word[kOneEach];
  float* const array = keys + static_cast<std::size_t>(blockIdx.x) * n;
  const int t = threadIdx.x;
  const float mine = t < n ? array[t] : 0;
  if (t < n) word[t] = word_of(mine, gridDim.x <= 2);
  __syncthreads();
  if (t >= n) return;
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += word[j] < word[t] || (word[j] == word[t] && j < t);
  array[rank] = mine;
}

void batched(float* keys, int n, int arrays) {
  if (n == 0 || arrays == 0) return;
  sort_arrays<<<arrays, (n + 31) / 32 * 32>>>(keys, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace in_place
