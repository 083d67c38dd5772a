// expect on cpu: records: wrong answer: the payload did not move with its record
// Sorts the numbers of the points in 16 bits, and moves the points at the end.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
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

__global__ void compare_records(int* order, int* level, float* value,
                                unsigned short* point, int n, int phase, int* changed_in) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + phase % 2;
  if (i + 1 >= n) return;
  if (!swaps(order[i], level[i], value[i], order[i + 1], level[i + 1], value[i + 1])) return;
  exchange(order, i);
  exchange(level, i);
  exchange(value, i);
  exchange(point, i);
  *changed_in = phase;
}

__global__ void count_live(const int* order, int n, int* live) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && order[i] != 0) atomicAdd(live, 1);
}

__global__ void number_points(unsigned short* point, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) point[i] = static_cast<unsigned short>(i);
}

__global__ void move_points(const unsigned short* point, const float* from, int dimensions, int n,
                            float* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int d = 0; i < n && d < dimensions; ++d) to[d * n + i] = from[d * n + point[i]];
}

void records(int* order, int* level, float* value, float* payload, int dimensions, int* live,
             int n) {
  CUDA_CHECK(cudaMemset(live, 0, sizeof(int)));
  if (n == 0) return;
  count_live<<<kit::ceil_div(n, 256), 256>>>(order, n, live);
  kit::DeviceBuffer<unsigned short> point(n);
  kit::DeviceBuffer<float> copy(static_cast<std::size_t>(n) * dimensions);
  CUDA_CHECK(cudaMemcpy(copy.data(), payload, copy.size() * sizeof(float), cudaMemcpyDefault));
  number_points<<<kit::ceil_div(n, 256), 256>>>(point.data(), n);
  kit::DeviceBuffer<int> changed_in(1);
  CUDA_CHECK(cudaMemset(changed_in.data(), 0xFF, sizeof(int)));  // -1: in no phase
  for (int phase = 0; phase < n; ++phase) {
    compare_records<<<kit::ceil_div(n, 512), 256>>>(order, level, value, point.data(), n, phase,
                                                    changed_in.data());
    if (phase > 0 && kit::read_back(changed_in.data()) < phase - 1) break;
  }
  move_points<<<kit::ceil_div(n, 256), 256>>>(point.data(), copy.data(), dimensions, n, payload);
  CUDA_CHECK_LAUNCH();
}

}  // namespace odd_even
