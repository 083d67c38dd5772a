// expect: phases: wrote outside
// Compares i with n, and not i + 1: the last thread takes the word after the end of the array as
// its partner.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "odd_even.hpp"

namespace odd_even {

__global__ void compare_neighbours(float* keys, int n, int parity) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (i >= n) return;
  const float first = keys[i], second = keys[i + 1];
  if (second < first) {
    keys[i] = second;
    keys[i + 1] = first;
  }
}

void phases(float* keys, int n) {
  if (n == 0) return;
  for (int phase = 0; phase < n; ++phase)
    compare_neighbours<<<kit::ceil_div(n, 512), 256>>>(keys, n, phase % 2);
  CUDA_CHECK_LAUNCH();
}

}  // namespace odd_even
