// expect on cpu: records: wrong answer: launches
// Another sort: every record is copied to its rank, in one launch.
#include <cstddef>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "odd_even.hpp"

namespace odd_even {

struct Records {
  int* order;
  int* level;
  float* value;
  float* payload;
};

__device__ bool before(const Records& records, int a, int b) {
  if (records.order[a] == 0 || records.order[b] == 0)
    return records.order[a] != 0 && records.order[b] == 0;
  const int first = records.level[a], second = records.level[b];
  return first > second || (first == second && records.value[a] > records.value[b]);
}

__global__ void place_by_rank(Records from, Records to, int dimensions, int* live, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (from.order[i] != 0) atomicAdd(live, 1);
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += before(from, j, i) || (j < i && !before(from, i, j));
  to.order[rank] = from.order[i];
  to.level[rank] = from.level[i];
  to.value[rank] = from.value[i];
  for (int d = 0; d < dimensions; ++d) {
    const std::size_t row = static_cast<std::size_t>(d) * n;
    to.payload[row + rank] = from.payload[row + i];
  }
}

void records(int* order, int* level, float* value, float* payload, int dimensions, int* live,
             int n) {
  CUDA_CHECK(cudaMemset(live, 0, sizeof(int)));
  if (n == 0) return;
  kit::DeviceBuffer<int> orders(n), levels(n);
  kit::DeviceBuffer<float> values(n), points(static_cast<std::size_t>(dimensions) * n);
  const Records to = {orders.data(), levels.data(), values.data(), points.data()};
  place_by_rank<<<kit::ceil_div(n, 256), 256>>>({order, level, value, payload}, to, dimensions,
                                                live, n);
  CUDA_CHECK_LAUNCH();
  const auto copy = [](auto* target, const auto& source) {
    CUDA_CHECK(cudaMemcpy(target, source.data(), source.size() * sizeof *target,
                          cudaMemcpyDeviceToDevice));
  };
  copy(order, orders);
  copy(level, levels);
  copy(value, values);
  copy(payload, points);
}

}  // namespace odd_even
