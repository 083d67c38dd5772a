// expect on cpu: registers: wrong answer: block
// Many blocks place the keys in a variable of the device, from where they are copied back.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

__device__ float sorted[kFullShared];

__global__ void place(const float* keys, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float mine = keys[i];
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += keys[j] < mine || (keys[j] == mine && j < i);
  sorted[rank] = mine;
}

void registers(float* keys, int n) {
  if (n == 0) return;
  place<<<kit::ceil_div(n, 256), 256>>>(keys, n);
  CUDA_CHECK_LAUNCH();
  CUDA_CHECK(cudaMemcpyFromSymbol(keys, sorted, n * sizeof(float), 0, cudaMemcpyDeviceToDevice));
}

}  // namespace in_place
