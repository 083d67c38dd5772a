// expect: phases: race
// Every key is compared with the next one in every phase. A phase has every second pair, so that no
// key is in two.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "odd_even.hpp"

namespace odd_even {

__global__ void compare_neighbours(float* keys, int n, int parity) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x + parity;
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
    compare_neighbours<<<kit::ceil_div(n, 256), 256>>>(keys, n, phase % 2);
  CUDA_CHECK_LAUNCH();
}

}  // namespace odd_even
