// expect: phases: wrong answer: not in order
// Blocks of 100 threads for up to 250 keys, and a slip in rounding up: wrong at 202 and 203 keys only.
#include "cuda_check.hpp"
#include "odd_even.hpp"

namespace odd_even {

constexpr int kThreads = 100;

__global__ void compare_neighbours(float* keys, int n, int parity) {
  const int i = 2 * (blockIdx.x * kThreads + threadIdx.x) + parity;
  if (i + 1 >= n) return;
  const float first = keys[i], second = keys[i + 1];
  if (second < first) {
    keys[i] = second;
    keys[i + 1] = first;
  }
}

void phases(float* keys, int n) {
  if (n < 2) return;
  const int pairs = n / 2, slip = pairs > 1 && pairs < 125 ? 2 : 1;
  const int blocks = (pairs + kThreads - slip) / kThreads;
  for (int phase = 0; phase < n; ++phase)
    compare_neighbours<<<blocks, kThreads>>>(keys, n, phase % 2);
  CUDA_CHECK_LAUNCH();
}

}  // namespace odd_even
