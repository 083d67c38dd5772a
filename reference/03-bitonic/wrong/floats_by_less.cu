// expect: global: wrong answer
// Compares by < and >, which order neither NaN nor -0 and +0.
#include "bitonic.hpp"
#include "ceil_div.hpp"
#include "cuda_check.hpp"

namespace bitonic {

__global__ void step(float* keys, unsigned n, unsigned size, unsigned stride) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned partner = i ^ stride;
  if (i >= n || partner < i) return;
  const float mine = keys[i], other = keys[partner];
  if ((i & size) == 0 ? mine > other : mine < other) {
    keys[i] = other;
    keys[partner] = mine;
  }
}

Result global(float* keys, std::size_t n) {
  if (n > kMostKeys || (n & (n - 1)) != 0) return Result::bad_length;
  for (unsigned size = 2; size <= n; size *= 2)
    for (unsigned stride = size / 2; stride > 0; stride /= 2)
      step<<<kit::ceil_div<unsigned>(n, 256), 256>>>(keys, n, size, stride);
  return Result::sorted;
}

}  // namespace bitonic
