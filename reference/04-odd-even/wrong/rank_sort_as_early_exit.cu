// expect on cpu: early-exit: wrong answer: launches
// Another sort: one launch, whatever the keys are, is early enough for any bound from above.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "odd_even.hpp"

namespace odd_even {

__global__ void place_by_rank(const float* keys, float* sorted, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float mine = keys[i];
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += keys[j] < mine || (keys[j] == mine && j < i);
  sorted[rank] = mine;
}

void early_exit(float* keys, int n) {
  if (n < 2) return;
  kit::DeviceBuffer<float> sorted(n);
  place_by_rank<<<kit::ceil_div(n, 256), 256>>>(keys, sorted.data(), n);
  CUDA_CHECK_LAUNCH();
  CUDA_CHECK(cudaMemcpy(keys, sorted.data(), n * sizeof(float), cudaMemcpyDeviceToDevice));
}

}  // namespace odd_even
