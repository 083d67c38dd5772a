// expect on cpu: phases: wrong answer: launches nothing
// Launches an even number of phases, and at least two: also for no keys.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "odd_even.hpp"

namespace odd_even {

__global__ void compare_neighbours(float* keys, int n, int parity) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (i + 1 >= n) return;
  const float first = keys[i], second = keys[i + 1];
  if (!(second < first)) return;
  keys[i] = second;
  keys[i + 1] = first;
}

void phases(float* keys, int n) {
  for (int phase = 0; phase < max(n, 2); ++phase)
    compare_neighbours<<<n / 512 + 1, 256>>>(keys, n, phase % 2);
  CUDA_CHECK_LAUNCH();
}

}  // namespace odd_even
