// expect on cpu: registers: wrong answer: block
// Many blocks place the keys in device memory of their own, from where they are copied back.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "in_place.hpp"

namespace in_place {

__global__ void place(const float* keys, float* sorted, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float mine = keys[i];
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += keys[j] < mine || (keys[j] == mine && j < i);
  sorted[rank] = mine;
}

void registers(float* keys, int n) {
  if (n == 0) return;
  kit::DeviceBuffer<float> sorted(n);
  place<<<kit::ceil_div(n, 256), 256>>>(keys, sorted.data(), n);
  CUDA_CHECK_LAUNCH();
  CUDA_CHECK(cudaMemcpy(keys, sorted.data(), n * sizeof(float), cudaMemcpyDeviceToDevice));
}

}  // namespace in_place
