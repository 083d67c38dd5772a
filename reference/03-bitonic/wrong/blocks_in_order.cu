// expect: any-length: wrong answer: not in order
// Many keys that are in order in each block of 256 are taken for sorted.
#include "bitonic.hpp"
#include "ceil_div.hpp"
#include "cuda_check.hpp"

namespace bitonic {

Result check(const void* pointer, std::size_t n) {
  if (n == 0) return Result::sorted;
  if (n > kMostKeys) return Result::bad_length;
  if (!pointer) return Result::null_pointer;
  cudaPointerAttributes attributes{};
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, pointer));
  return attributes.type == cudaMemoryTypeDevice ? Result::sorted : Result::host_pointer;
}

__device__ unsigned ordered(float key) {
  const unsigned bits = __float_as_uint(key);
  return (bits & 0x80000000u ? ~bits : bits | 0x80000000u) - 0x7FFFFFu;
}

__device__ int out_of_order;

__global__ void look(const float* keys, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0 || i >= n) return;
  if (ordered(keys[i]) < ordered(keys[i - 1])) out_of_order = 1;
}

__global__ void step(float* keys, unsigned n, unsigned difference) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, partner = i ^ difference;
  if (partner < i || partner >= n) return;
  const float mine = keys[i], other = keys[partner];
  if (ordered(mine) <= ordered(other)) return;
  keys[i] = other;
  keys[partner] = mine;
}

Result any_length(float* keys, std::size_t n) {
  if (const Result refusal = check(keys, n); refusal != Result::sorted || n == 0) return refusal;
  const unsigned blocks = kit::ceil_div<unsigned>(n, 256);
  int found = 0;
  CUDA_CHECK(cudaMemcpyToSymbol(out_of_order, &found, sizeof found));
  if (n > 2048) look<<<blocks, 256>>>(keys, n);
  CUDA_CHECK(cudaMemcpyFromSymbol(&found, out_of_order, sizeof found));
  if (n > 2048 && !found) return Result::sorted;
  for (unsigned size = 2; size / 2 < n; size *= 2)
    for (unsigned stride = size / 2; stride > 0; stride /= 2)
      step<<<blocks, 256>>>(keys, n, stride == size / 2 ? size - 1 : stride);
  CUDA_CHECK_LAUNCH();
  return Result::sorted;
}

}  // namespace bitonic
