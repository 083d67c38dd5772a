// expect on cpu: phases: wrong answer
// All phases in one launch, with __syncthreads() between them: it is a barrier of a block, not of
// the grid.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "odd_even.hpp"

namespace odd_even {

__global__ void all_phases(float* keys, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int phase = 0; phase < n; ++phase) {
    const int i = 2 * t + phase % 2;
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
  all_phases<<<kit::ceil_div(n / 2, 256), 256>>>(keys, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace odd_even
