// expect on cpu: phases: wrong answer: launches; the contract asks for
// n phases, but 40,000 at most: too few for larger arrays that are not nearly in order.
#include <algorithm>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "odd_even.hpp"

namespace odd_even {

__global__ void compare(float* keys, int n, int parity) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (i + 1 >= n) return;
  const float first = keys[i], second = keys[i + 1];
  if (second < first) {
    keys[i] = second;
    keys[i + 1] = first;
  }
}

void phases(float* keys, int n) {
  const int blocks = kit::ceil_div(kit::ceil_div(n, 2), 256);
  for (int phase = 0; phase < std::min(n, 40'000); ++phase)
    compare<<<blocks, 256>>>(keys, n, phase % 2);
  CUDA_CHECK_LAUNCH();
}

}  // namespace odd_even
