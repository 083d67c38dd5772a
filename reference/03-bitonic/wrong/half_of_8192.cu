// expect: global: wrong answer: not in order
// A grid for up to 4096 keys serves 8192 keys as well, but only half of them: a bound of `<=`.
#include <algorithm>

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
  if ((ordered(mine) > ordered(other)) == ((i & size) == 0) &&
      ordered(mine) != ordered(other)) {
    keys[i] = other;
    keys[partner] = mine;
  }
}

Result global(float* keys, std::size_t n) {
  if (n > kMostKeys || (n & (n - 1)) != 0) return Result::bad_length;
  const unsigned blocks = n <= 8192 ? std::min<unsigned>(kit::ceil_div<unsigned>(n, 256), 16)
                                    : kit::ceil_div<unsigned>(n, 256);
  for (unsigned size = 2; size <= n; size *= 2)
    for (unsigned stride = size / 2; stride > 0; stride /= 2)
      step<<<blocks, 256>>>(keys, n, size, stride);
  CUDA_CHECK_LAUNCH();
  return Result::sorted;
}

}  // namespace bitonic
