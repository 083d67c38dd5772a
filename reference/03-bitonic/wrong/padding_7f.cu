// expect: any-length: wrong answer: two of them larger than a padding of bytes 0x7f
// Pads with bytes 0x7f. As a float that is 3.39e38: +inf, the largest floats and every NaN sort
// after it and are cut off.
#include "bitonic.hpp"
#include "ceil_div.hpp"
#include "cuda_check.hpp"

namespace bitonic {

bool usable(const void* pointer) {
  cudaPointerAttributes attributes{};
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, pointer));
  return attributes.type == cudaMemoryTypeDevice;
}

__global__ void step(float* keys, unsigned size, unsigned stride) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned partner = i ^ stride;
  if (partner < i) return;
  const float mine = keys[i], other = keys[partner];
  if ((i & size) == 0 ? mine > other : mine < other) {
    keys[i] = other;
    keys[partner] = mine;
  }
}

Result any_length(float* keys, std::size_t n) {
  if (n == 0) return Result::sorted;
  if (n > kMostKeys) return Result::bad_length;
  if (!keys) return Result::null_pointer;
  if (!usable(keys)) return Result::host_pointer;
  unsigned padded = 1;
  while (padded < n) padded *= 2;
  float* copy = nullptr;
  if (cudaMalloc(&copy, sizeof(float) * padded) != cudaSuccess) return Result::out_of_memory;
  CUDA_CHECK(cudaMemcpy(copy, keys, sizeof(float) * n, cudaMemcpyDeviceToDevice));
  if (padded > n) CUDA_CHECK(cudaMemset(copy + n, 0x7f, sizeof(float) * (padded - n)));
  const dim3 blocks(padded < 256 ? 1 : padded / 256), threads(padded < 256 ? padded : 256);
  for (unsigned size = 2; size <= padded; size *= 2)
    for (unsigned stride = size / 2; stride > 0; stride /= 2)
      step<<<blocks, threads>>>(copy, size, stride);
  CUDA_CHECK(cudaMemcpy(keys, copy, sizeof(float) * n, cudaMemcpyDeviceToDevice));
  CUDA_CHECK(cudaFree(copy));
  return Result::sorted;
}

}  // namespace bitonic
