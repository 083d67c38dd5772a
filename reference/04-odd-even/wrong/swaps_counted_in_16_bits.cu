// expect: early-exit: wrong answer: not in order
// Counts the pairs that change places, and takes the count into 16 bits: 65,536 of them are none.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "odd_even.hpp"

namespace odd_even {

__global__ void compare_and_count(float* keys, int n, int parity, int* swaps) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (i + 1 >= n) return;
  const float first = keys[i], second = keys[i + 1];
  if (!(second < first)) return;
  keys[i] = second;
  keys[i + 1] = first;
  atomicAdd(swaps, 1);
}

void early_exit(float* keys, int n) {
  if (n < 2) return;
  kit::DeviceBuffer<int> swaps(1);
  unsigned short counted = 1;
  for (int phase = 0; phase < n && counted != 0; phase += 2) {
    CUDA_CHECK(cudaMemset(swaps.data(), 0, sizeof(int)));
    for (const int parity : {0, 1})
      compare_and_count<<<kit::ceil_div(n / 2, 256), 256>>>(keys, n, parity, swaps.data());
    CUDA_CHECK_LAUNCH();
    int all = 0;
    CUDA_CHECK(cudaMemcpy(&all, swaps.data(), sizeof all, cudaMemcpyDeviceToHost));
    counted = static_cast<unsigned short>(all);
  }
}

}  // namespace odd_even
