// expect: records: race
// Counts by *live = *live + 1, without an atomic: threads overwrite each other's sums.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "odd_even.hpp"

namespace odd_even {

__device__ bool swaps(int order_a, int level_a, float value_a, int order_b, int level_b,
                      float value_b) {
  if (order_b == 0) return false;
  if (order_a == 0) return true;
  return level_b > level_a || (level_b == level_a && value_b > value_a);
}

template <typename T>
__device__ void exchange(T* values, int i) {
  const T first = values[i];
  values[i] = values[i + 1];
  values[i + 1] = first;
}

__global__ void compare_records(int* order, int* level, float* value, float* payload,
                                int dimensions, int n, int parity) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (i + 1 >= n) return;
  if (!swaps(order[i], level[i], value[i], order[i + 1], level[i + 1], value[i + 1])) return;
  exchange(order, i);
  exchange(level, i);
  exchange(value, i);
  for (int d = 0; d < dimensions; ++d) exchange(payload + static_cast<size_t>(d) * n, i);
}

__global__ void count_live(const int* order, int n, int* live) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && order[i] != 0) *live = *live + 1;
}

void records(int* order, int* level, float* value, float* payload, int dimensions, int* live,
             int n) {
  CUDA_CHECK(cudaMemset(live, 0, sizeof(int)));
  if (n == 0) return;
  count_live<<<kit::ceil_div(n, 256), 256>>>(order, n, live);
  for (int phase = 0; phase < n; ++phase)
    compare_records<<<kit::ceil_div(n, 512), 256>>>(order, level, value, payload, dimensions, n,
                                                    phase % 2);
  CUDA_CHECK_LAUNCH();
}

}  // namespace odd_even
