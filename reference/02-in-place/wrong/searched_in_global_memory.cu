// expect on cpu: fast: wrong answer: accesses to global memory
// Few comparisons, but without shared memory: the sorted runs are in the array itself, and every round
// searches them there.
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

__global__ void merge_in_global(float* keys, int n) {
  float* const array = keys + static_cast<std::size_t>(blockIdx.x) * n;
  const int t = threadIdx.x;
  for (int run = 1; run < n; run *= 2) {
    const float mine = t < n ? array[t] : 0.0f;
    const int pair = t / (2 * run) * (2 * run);
    const bool is_first = t < pair + run;
    int low = is_first ? pair + run : pair, high = is_first ? min(pair + 2 * run, n) : pair + run;
    const int begin = low;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (array[middle] < mine || (!is_first && array[middle] == mine))
        low = middle + 1;
      else
        high = middle;
    }
    const int place = t + (is_first ? max(low - begin, 0) : low - begin - run);
    __syncthreads();  // all have searched before any place is overwritten
    if (t < n) array[place] = mine;
    __syncthreads();  // all keys of both runs are there
  }
}

void fast(float* keys, int n, int arrays) {
  if (n == 0 || arrays == 0) return;
  merge_in_global<<<arrays, n>>>(keys, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace in_place
