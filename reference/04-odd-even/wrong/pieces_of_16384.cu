// expect: early-exit: wrong answer: groups of four
// Sorts pieces of 16,384 keys on their own: no thread compares the last key of one with the first of the next.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "odd_even.hpp"

namespace odd_even {

constexpr int kPiece = 1 << 14;

__global__ void compare_in_pieces(float* keys, int n, int parity, int* changed) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (i + 1 >= n || i % kPiece == kPiece - 1) return;
  const float first = keys[i], second = keys[i + 1];
  if (second < first) {
    keys[i] = second;
    keys[i + 1] = first;
    *changed = 1;
  }
}

void early_exit(float* keys, int n) {
  if (n < 2) return;
  kit::DeviceBuffer<int> changed(1);
  int some_change = 1;
  for (int phase = 0; phase < n && some_change; phase += 2) {
    CUDA_CHECK(cudaMemset(changed.data(), 0, sizeof(int)));
    for (int parity = 0; parity < 2; ++parity)
      compare_in_pieces<<<kit::ceil_div(n / 2, 256), 256>>>(keys, n, parity, changed.data());
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(&some_change, changed.data(), sizeof(int), cudaMemcpyDeviceToHost));
  }
}

}  // namespace odd_even
