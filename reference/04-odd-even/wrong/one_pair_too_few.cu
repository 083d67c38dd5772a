// expect: phases: wrong answer: not in order
// A thread for each pair of an odd phase. With an even number of keys an even phase has one more,
// which nobody compares if the others fill their blocks.
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
  const int pairs = n > 2 ? (n - 1) / 2 : 1;
  for (int phase = 0; phase < n; ++phase)
    compare_neighbours<<<kit::ceil_div(pairs, 256), 256>>>(keys, n, phase % 2);
  CUDA_CHECK_LAUNCH();
}

}  // namespace odd_even
