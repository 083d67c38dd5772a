// expect: phases: wrong answer: on average only 8 threads work at a time
// Eight threads compare all pairs.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "odd_even.hpp"

namespace odd_even {

__global__ void compare_neighbours(float* keys, int n, int parity) {
  for (int i = 2 * threadIdx.x + parity; i + 1 < n; i += 2 * blockDim.x) {
    const float first = keys[i], second = keys[i + 1];
    if (!(second < first)) continue;
    keys[i] = second;
    keys[i + 1] = first;
  }
}

void phases(float* keys, int n) {
  if (n < 2) return;
  for (int phase = 0; phase < n; ++phase)
    compare_neighbours<<<1, 8>>>(keys, n, phase % 2);
  CUDA_CHECK_LAUNCH();
}

}  // namespace odd_even
