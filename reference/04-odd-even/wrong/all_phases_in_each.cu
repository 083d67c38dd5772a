// expect on cpu: phases: wrong answer
// All phases in the kernel, and n launches of it besides: only the first launch finds work, but all of
// them compare.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "odd_even.hpp"

namespace odd_even {

__global__ void compare_neighbours(float* keys, int n) {
  for (int phase = 0; phase < n; ++phase) {
    const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + phase % 2;
    if (i + 1 < n && keys[i + 1] < keys[i]) {
      const float first = keys[i];
      keys[i] = keys[i + 1];
      keys[i + 1] = first;
    }
    __syncthreads();
  }
}

void phases(float* keys, int n) {
  if (n < 2) return;
  for (int phase = 0; phase < n; ++phase)
    compare_neighbours<<<kit::ceil_div(n / 2, 256), 256>>>(keys, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace odd_even
