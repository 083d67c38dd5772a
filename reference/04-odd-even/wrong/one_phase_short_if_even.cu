// expect on cpu: phases: wrong answer: one for each of n phases
// Makes an odd number of phases if there are many keys: one too few if n is even.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "odd_even.hpp"

namespace odd_even {

__global__ void compare_neighbours(float* keys, int n, int parity) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (i + 1 >= n) return;
  const float first = keys[i], second = keys[i + 1];
  if (second < first) {
    keys[i] = second;
    keys[i + 1] = first;
  }
}

void phases(float* keys, int n) {
  if (n < 2) return;
  const int odd = (n - 1) / 2 * 2 + 1;
  for (int phase = 0; phase < (n > 4096 ? odd : n); ++phase)
    compare_neighbours<<<kit::ceil_div(n / 2, 256), 256>>>(keys, n, phase % 2);
  CUDA_CHECK_LAUNCH();
}

}  // namespace odd_even
