// expect: batched: race
// Every block writes its result into the first array.
#include <cstddef>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

__global__ void sort_arrays(float* keys, int n) {
  __shared__ float key[kOneEach];
  float* const array = keys + static_cast<std::size_t>(blockIdx.x) * n;
  const int t = threadIdx.x;
  if (t < n) key[t] = array[t];
  __syncthreads();
  if (t >= n) return;
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += key[j] < key[t] || (key[j] == key[t] && j < t);
  keys[rank] = key[t];
}

void batched(float* keys, int n, int arrays) {
  if (n == 0 || arrays == 0) return;
  sort_arrays<<<arrays, kit::ceil_div(n, 32) * 32>>>(keys, n);
}

}  // namespace in_place
