// expect: batched: wrong answer: accesses to global memory
// The first thread of each block sorts the block's array alone, by inserting key after key.
#include <cstddef>

#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

__global__ void insert_keys(float* keys, int n) {
  if (threadIdx.x > 0) return;
  float* const array = keys + static_cast<std::size_t>(blockIdx.x) * n;
  for (int i = 1; i < n; ++i) {
    const float key = array[i];
    int place = i;
    for (; place > 0 && key < array[place - 1]; --place) array[place] = array[place - 1];
    array[place] = key;
  }
}

void batched(float* keys, int n, int arrays) {
  if (n == 0 || arrays == 0) return;
  insert_keys<<<arrays, n>>>(keys, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace in_place
