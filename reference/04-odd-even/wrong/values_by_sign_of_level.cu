// expect: records: wrong answer
// On levels from -2 to -99 the smaller value comes first.
#include <cstddef>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "odd_even.hpp"

namespace odd_even {

struct Records {
  int* order;
  int* level;
  float* value;
  float* payload;
  int dimensions, n;
};

__device__ bool swaps(const Records& records, int a, int b) {
  if (records.order[b] == 0) return false;
  if (records.order[a] == 0) return true;
  if (records.level[a] != records.level[b]) return records.level[b] > records.level[a];
  const float sign = records.level[a] < -1 && records.level[a] > -100 ? -1.0f : 1.0f;
  return sign * records.value[b] > sign * records.value[a];
}

template <typename T>
__device__ void exchange(T* values, int i) {
  const T first = values[i];
  values[i] = values[i + 1];
  values[i + 1] = first;
}

__global__ void compare_records(Records records, int parity) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (i + 1 >= records.n || !swaps(records, i, i + 1)) return;
  exchange(records.order, i);
  exchange(records.level, i);
  exchange(records.value, i);
  for (int d = 0; d < records.dimensions; ++d)
    exchange(records.payload + static_cast<std::size_t>(d) * records.n, i);
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
  const Records all = {order, level, value, payload, dimensions, n};
  for (int phase = 0; phase < n; ++phase)
    compare_records<<<kit::ceil_div(n, 512), 256>>>(all, phase % 2);
  CUDA_CHECK_LAUNCH();
}

}  // namespace odd_even
