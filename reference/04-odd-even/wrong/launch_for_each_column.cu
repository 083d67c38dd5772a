// expect: records: wrong answer: more may prepare or complete them
// Decides in one launch which records change places, and moves each column in another: too many.
#include <cstddef>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "odd_even.hpp"

namespace odd_even {

__global__ void decide(const int* order, const int* level, const float* value, int n, int parity,
                       int* swaps) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (i + 1 >= n) return;
  bool swap = level[i + 1] > level[i] || (level[i + 1] == level[i] && value[i + 1] > value[i]);
  if (order[i] == 0 || order[i + 1] == 0) swap = order[i] == 0 && order[i + 1] != 0;
  swaps[i] = swap;
}

template <typename T>
__global__ void exchange(T* column, int n, int parity, const int* swaps) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (i + 1 >= n || !swaps[i]) return;
  const T first = column[i];
  column[i] = column[i + 1];
  column[i + 1] = first;
}

__global__ void count_live(const int* order, int n, int* live) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && order[i] != 0) atomicAdd(live, 1);
}

void records(int* order, int* level, float* value, float* payload, int dimensions, int* live,
             int n) {
  CUDA_CHECK(cudaMemset(live, 0, sizeof(int)));
  if (n == 0) return;
  const int blocks = kit::ceil_div(n, 512);
  count_live<<<2 * blocks, 256>>>(order, n, live);
  kit::DeviceBuffer<int> swaps(n);
  for (int phase = 0; phase < n; ++phase) {
    const int parity = phase % 2;
    decide<<<blocks, 256>>>(order, level, value, n, parity, swaps.data());
    exchange<<<blocks, 256>>>(order, n, parity, swaps.data());
    exchange<<<blocks, 256>>>(level, n, parity, swaps.data());
    exchange<<<blocks, 256>>>(value, n, parity, swaps.data());
    for (int d = 0; d < dimensions; ++d)
      exchange<<<blocks, 256>>>(payload + static_cast<std::size_t>(d) * n, n, parity, swaps.data());
  }
  CUDA_CHECK_LAUNCH();
}

}  // namespace odd_even
