// expect: global: wrong answer: not in order
// The loop over sizes ends before n, so the two halves are never merged.
#include "bitonic.hpp"
#include "ceil_div.hpp"
#include "cuda_check.hpp"

namespace bitonic {

__device__ unsigned ordered(float key) {
  const unsigned bits = __float_as_uint(key);
  return (bits & 0x80000000u ? ~bits : bits | 0x80000000u) - 0x7FFFFFu;
}

__global__ void step(float* keys, unsigned n, unsigned size, unsigned stride) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned partner = i ^ stride;
  if (i >= n || partner < i) return;
  const float mine = keys[i], other = keys[partner];
  const bool upwards = (i & size) == 0;
  if ((ordered(mine) > ordered(other)) == upwards) {
    keys[i] = other;
    keys[partner] = mine;
  }
}

Result global(float* keys, std::size_t n) {
  if (n > kMostKeys || (n & (n - 1)) != 0) return Result::bad_length;
  for (unsigned size = 2; size < n; size *= 2)
    for (unsigned stride = size / 2; stride > 0; stride /= 2)
      step<<<kit::ceil_div<unsigned>(n, 256), 256>>>(keys, n, size, stride);
  return Result::sorted;
}

}  // namespace bitonic
