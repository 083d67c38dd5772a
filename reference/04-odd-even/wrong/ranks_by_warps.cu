// expect on cpu: merge-split: wrong answer: where they have to be at the end
// Rank sort with a warp for each key, as merge-split: three blocks move few keys.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "odd_even.hpp"
namespace odd_even {
__global__ void place(const float* in, float* out, int n) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (i >= n) return;
  const float key = in[i];
  int rank = 0;
  for (int j = lane; j < n; j += 32) rank += in[j] < key || (in[j] == key && j < i);
  for (int s = 16; s; s /= 2) rank += __shfl_xor_sync(~0u, rank, s);
  if (lane == 0) out[rank] = key;
}
void merge_split(float* keys, int n) {
  if (n == 0) return;
  const kit::DeviceBuffer<float> copy(n);
  CUDA_CHECK(cudaMemcpy(copy.data(), keys, n * sizeof(float), cudaMemcpyDeviceToDevice));
  place<<<kit::ceil_div(n, 8), 256>>>(copy.data(), keys, n);
  CUDA_CHECK(cudaGetLastError());
}
}  // namespace odd_even
