// expect on cpu: batched: wrong answer: allocated device memory
// Sorts many arrays in a copy, which needs device memory; one array needs none.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "in_place.hpp"

namespace in_place {

__global__ void sort_array_per_block(float* keys, int n) {
  __shared__ float key[kOneEach];
  float* const array = keys + static_cast<std::size_t>(blockIdx.x) * n;
  const int t = threadIdx.x;
  const float mine = t < n ? array[t] : 0.0f;
  if (t < n) key[t] = mine;
  __syncthreads();
  if (t >= n) return;
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += key[j] < mine || (key[j] == mine && j < t);
  array[rank] = mine;
}

void batched(float* keys, int n, int arrays) {
  if (n == 0 || arrays == 0) return;
  const std::size_t all = static_cast<std::size_t>(n) * arrays;
  kit::DeviceBuffer<float> copy(arrays > 1 ? all : 0);
  float* const sorted = arrays > 1 ? copy.data() : keys;
  if (sorted != keys)
    CUDA_CHECK(cudaMemcpy(sorted, keys, all * sizeof(float), cudaMemcpyDeviceToDevice));
  sort_array_per_block<<<arrays, kit::ceil_div(n, 32) * 32>>>(sorted, n);
  if (sorted != keys)
    CUDA_CHECK(cudaMemcpy(keys, sorted, all * sizeof(float), cudaMemcpyDeviceToDevice));
  CUDA_CHECK_LAUNCH();
}

}  // namespace in_place
