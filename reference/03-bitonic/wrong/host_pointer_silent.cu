// expect: any-length: wrong answer: returned sorted, expected host_pointer
// Returns without an error for a host pointer. The caller believes that the keys are sorted.
#include "bitonic.hpp"
#include "ceil_div.hpp"
#include "cuda_check.hpp"

namespace bitonic {

__device__ unsigned ordered(float key) {
  const unsigned bits = __float_as_uint(key);
  return (bits & 0x80000000u ? ~bits : bits | 0x80000000u) - 0x7FFFFFu;
}

bool usable(const void* pointer) {
  cudaPointerAttributes attributes{};
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, pointer));
  return attributes.type == cudaMemoryTypeDevice;
}

__global__ void step(float* keys, unsigned n, unsigned difference) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned partner = i ^ difference;
  if (partner < i || partner >= n) return;
  const float mine = keys[i], other = keys[partner];
  if (ordered(mine) > ordered(other)) {
    keys[i] = other;
    keys[partner] = mine;
  }
}

Result any_length(float* keys, std::size_t n) {
  if (n == 0) return Result::sorted;
  if (n > kMostKeys) return Result::bad_length;
  if (!keys) return Result::null_pointer;
  if (!usable(keys)) return Result::sorted;
  for (unsigned size = 2; size / 2 < n; size *= 2)
    for (unsigned stride = size / 2; stride > 0; stride /= 2)
      step<<<kit::ceil_div<unsigned>(n, 256), 256>>>(
          keys, n, stride == size / 2 ? size - 1 : stride);
  return Result::sorted;
}

}  // namespace bitonic
