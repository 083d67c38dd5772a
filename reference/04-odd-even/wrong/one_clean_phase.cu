// expect: early-exit: wrong answer: not in order
// Stops at the first phase that changes nothing: 1 3 2 4 has a clean even phase.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "odd_even.hpp"

namespace odd_even {

__global__ void compare_and_tell(float* keys, int n, int parity, int* changed) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (i + 1 >= n) return;
  const float first = keys[i], second = keys[i + 1];
  if (second < first) {
    keys[i] = second;
    keys[i + 1] = first;
    *changed = 1;
  }
}

void early_exit(float* keys, int n) {
  if (n < 2) return;
  const int blocks = kit::ceil_div(n / 2, 256);
  kit::DeviceBuffer<int> changed(1);
  int some_change = 1;
  for (int phase = 0; phase < n && some_change; ++phase) {
    CUDA_CHECK(cudaMemset(changed.data(), 0, sizeof(int)));
    compare_and_tell<<<blocks, 256>>>(keys, n, phase % 2, changed.data());
    changed.copy_to(std::span(&some_change, 1));
  }
}

}  // namespace odd_even
