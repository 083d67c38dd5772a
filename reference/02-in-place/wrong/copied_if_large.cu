// expect on cpu: registers: wrong answer: allocated device memory
// Sorts more keys than a block has threads in a copy, which needs device memory.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "in_place.hpp"

namespace in_place {

template <int kKeysPerThread>
__global__ void __launch_bounds__(kOneEach) sort_in_registers(float* keys, int n) {
  extern __shared__ float key[];
  const int t = threadIdx.x;
  for (int i = t; i < n; i += kOneEach) key[i] = keys[i];
  __syncthreads();
  float mine[kKeysPerThread];
  int rank[kKeysPerThread] = {};
  for (int k = 0; k < kKeysPerThread; ++k) {
    const int i = k * kOneEach + t;
    mine[k] = i < n ? key[i] : 0.0f;
    for (int j = 0; j < n; ++j) rank[k] += key[j] < mine[k] || (key[j] == mine[k] && j < i);
  }
  for (int k = 0; k < kKeysPerThread; ++k)
    if (k * kOneEach + t < n) keys[rank[k]] = mine[k];
}

template <int kKeysPerThread>
void launch(float* keys, int n) {
  sort_in_registers<kKeysPerThread><<<1, kOneEach, n * sizeof(float)>>>(keys, n);
}

void registers(float* keys, int n) {
  if (n == 0) return;
  if (n <= kOneEach) return launch<1>(keys, n);
  kit::DeviceBuffer<float> copy(n);
  CUDA_CHECK(cudaMemcpy(copy.data(), keys, n * sizeof(float), cudaMemcpyDeviceToDevice));
  launch<12>(copy.data(), n);
  CUDA_CHECK(cudaMemcpy(keys, copy.data(), n * sizeof(float), cudaMemcpyDeviceToDevice));
}

}  // namespace in_place
