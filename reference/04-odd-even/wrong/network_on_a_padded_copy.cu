// expect on cpu: tiled: wrong answer: each phase covers all keys
// Bitonic network on a copy, padded to a power of two, as tiled: not neighbours only.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "odd_even.hpp"
namespace odd_even {
constexpr int kTile = 1024;
__global__ void pad(const float* in, float* out, int n, int all) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < all) out[i] = i < n ? in[i] : INFINITY;
}
__device__ void step_in_tile(float* tile, int start, int size, int stride) {
  __syncthreads();
  for (int i = threadIdx.x; i < kTile; i += blockDim.x) {
    const int other = i ^ stride;
    if (other < i || (((start + i) & size) == 0) != (tile[other] < tile[i])) continue;
    const float key = tile[i];
    tile[i] = tile[other];
    tile[other] = key;
  }
}
__global__ void sort_or_merge_tiles(float* keys, int first_size, int last_size) {
  __shared__ float tile[kTile];
  const int start = blockIdx.x * kTile;
  for (int i = threadIdx.x; i < kTile; i += blockDim.x) tile[i] = keys[start + i];
  for (int size = first_size; size <= last_size; size *= 2)
    for (int stride = min(size, kTile) / 2; stride > 0; stride /= 2)
      step_in_tile(tile, start, size, stride);
  __syncthreads();
  for (int i = threadIdx.x; i < kTile; i += blockDim.x) keys[start + i] = tile[i];
}
__global__ void step(float* keys, int size, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ stride;
  if (other < i) return;
  const float a = keys[i], b = keys[other];
  if (((i & size) == 0) != (b < a)) return;
  keys[i] = b;
  keys[other] = a;
}
void tiled(float* keys, int n) {
  if (n < 2) return;
  int all = kTile;
  while (all < n) all *= 2;
  const kit::DeviceBuffer<float> copy(all);
  pad<<<all / 256, 256>>>(keys, copy.data(), n, all);
  sort_or_merge_tiles<<<all / kTile, 256>>>(copy.data(), 2, kTile);
  for (int size = 2 * kTile; size <= all; size *= 2) {
    for (int stride = size / 2; stride >= kTile; stride /= 2)
      step<<<all / 256, 256>>>(copy.data(), size, stride);
    sort_or_merge_tiles<<<all / kTile, 256>>>(copy.data(), size, size);
  }
  CUDA_CHECK(cudaMemcpyAsync(keys, copy.data(), n * sizeof(float), cudaMemcpyDeviceToDevice));
  CUDA_CHECK_LAUNCH();
}
}  // namespace odd_even
