// expect: early-exit: wrong answer: not in order
// The flag is how far two keys are apart, in thousandths: keys that are closer move, but nobody says so.
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
    if (const int apart = __float2int_rz((first - second) * 1000)) *changed = apart;
  }
}

void early_exit(float* keys, int n) {
  if (n < 2) return;
  const int blocks = kit::ceil_div(n / 2, 256);
  kit::DeviceBuffer<int> changed(1);
  int some_change = 1;
  for (int phase = 0; phase < n && some_change; phase += 2) {
    CUDA_CHECK(cudaMemset(changed.data(), 0, sizeof(int)));
    for (const int parity : {0, 1})
      compare_and_tell<<<blocks, 256>>>(keys, n, parity, changed.data());
    changed.copy_to(std::span(&some_change, 1));
  }
}

}  // namespace odd_even
