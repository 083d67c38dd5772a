// expect: phases: wrong answer
// Gives a kernel the number of the phase, where it wants phase % 2: the pairs of each phase begin one
// key further on, and the keys in front stay as they are.
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
  for (int phase = 0; phase < n; ++phase)
    compare_neighbours<<<kit::ceil_div(n / 2, 256), 256>>>(keys, n, phase);
  CUDA_CHECK_LAUNCH();
}

}  // namespace odd_even
