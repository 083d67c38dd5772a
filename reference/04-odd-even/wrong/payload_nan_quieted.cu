// expect: records: wrong answer: the payload did not move
// Gives every NaN of the payload the same bits while it moves.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "odd_even.hpp"

namespace odd_even {

__device__ bool before(int order_a, int level_a, float value_a, int order_b, int level_b,
                       float value_b) {
  if (order_a == 0 || order_b == 0) return order_a != 0 && order_b == 0;
  return level_a != level_b ? level_a > level_b : value_a > value_b;
}

template <typename T>
__device__ void swap_at(T* at) {
  const T first = at[0];
  at[0] = at[1];
  at[1] = first;
}

__device__ float quiet(float value) { return isnan(value) ? nanf("") : value; }

__global__ void compare_records(int* order, int* level, float* value, float* payload,
                                int dimensions, int n, int parity, int* changed) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (i + 1 >= n) return;
  if (!before(order[i + 1], level[i + 1], value[i + 1], order[i], level[i], value[i])) return;
  swap_at(order + i);
  swap_at(level + i);
  swap_at(value + i);
  for (int d = 0; d < dimensions; ++d) {
    float* const at = payload + static_cast<size_t>(d) * n + i;
    const float first = quiet(at[0]);
    at[0] = quiet(at[1]);
    at[1] = first;
  }
  *changed = 1;
}

__global__ void count_live(const int* order, int n, int* live) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && order[i] != 0) atomicAdd(live, 1);
}

void records(int* order, int* level, float* value, float* payload, int dimensions, int* live,
             int n) {
  CUDA_CHECK(cudaMemset(live, 0, sizeof(int)));
  if (n == 0) return;
  count_live<<<kit::ceil_div(n, 256), 256>>>(order, n, live);
  kit::DeviceBuffer<int> changed(1);
  for (int phase = 0, some = 1; phase < n && some; phase += 2) {
    CUDA_CHECK(cudaMemset(changed.data(), 0, sizeof(int)));
    for (const int parity : {0, 1})
      compare_records<<<kit::ceil_div(n, 512), 256>>>(order, level, value, payload, dimensions, n,
                                                      parity, changed.data());
    CUDA_CHECK_LAUNCH();
    some = kit::read_back(changed.data());
  }
}

}  // namespace odd_even
