// expect: fast: wrong answer
// Of equal keys in two runs, those of the first run must come before those of the second. Here
// both runs count the same way, so places collide or stay empty.
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

/// How many keys of a sorted run belong before `mine`.
__device__ int count_before(const float* run, int length, float mine, bool is_first) {
  int low = 0, high = length;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (run[middle] < mine || (is_first && run[middle] == mine))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

__global__ void sort_by_search(float* keys, int n) {
  __shared__ float key[kOneEach];
  float* const array = keys + static_cast<size_t>(blockIdx.x) * n;
  const int t = threadIdx.x, places = blockDim.x;
  key[t] = t < n ? array[t] : INFINITY;
  __syncthreads();
  for (int run = 1; run < places; run *= 2) {
    const float mine = key[t];
    const int pair = t / (2 * run) * (2 * run);
    const int other = t / run % 2 == 0 ? pair + run : pair;
    const int rank = t % run + count_before(key + other, run, mine, true);
    __syncthreads();
    key[pair + rank] = mine;
    __syncthreads();
  }
  if (t < n) array[t] = key[t];
}

void fast(float* keys, int n, int arrays) {
  if (n == 0 || arrays == 0) return;
  int threads = 32;
  while (threads < n) threads *= 2;
  sort_by_search<<<arrays, threads>>>(keys, n);
}

}  // namespace in_place
