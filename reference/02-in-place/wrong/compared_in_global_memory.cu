// expect on cpu: in-place: wrong answer: accesses to global memory
// Right, but without shared memory: every thread compares its key with all keys in global memory.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

__global__ void sort_in_global(float* keys, int n) {
  const int t = threadIdx.x;
  float mine = 0;
  int rank = 0;
  if (t < n) {
    mine = keys[t];
    for (int j = 0; j < n; ++j) rank += keys[j] < mine || (keys[j] == mine && j < t);
  }
  __syncthreads();  // all have counted before any place is overwritten
  if (t < n) keys[rank] = mine;
}

void in_place(float* keys, int n) {
  if (n == 0) return;
  sort_in_global<<<1, kit::ceil_div(n, 32) * 32>>>(keys, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace in_place
