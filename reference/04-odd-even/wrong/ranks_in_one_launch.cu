// expect on cpu: tiled: wrong answer: blocks on this way did not run
// Rank sort in one launch: no phases, and no tile.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "odd_even.hpp"

namespace odd_even {

__device__ int rank_of(const float* keys, int i, int n) {
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += keys[j] < keys[i] || (keys[j] == keys[i] && j < i);
  return rank;
}

__global__ void place(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[rank_of(in, i, n)] = in[i];
}

void tiled(float* keys, int n) {
  if (n == 0) return;
  const kit::DeviceBuffer<float> copy(n);
  CUDA_CHECK(cudaMemcpy(copy.data(), keys, n * sizeof(float), cudaMemcpyDeviceToDevice));
  place<<<kit::ceil_div(n, 256), 256>>>(copy.data(), keys, n);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace odd_even
