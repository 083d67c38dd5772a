// expect: global: wrong answer: wrong set of values
// fminf and fmaxf both return the number if the other key is NaN: the NaN is lost.
#include "bitonic.hpp"
#include "ceil_div.hpp"
#include "cuda_check.hpp"

namespace bitonic {

__global__ void step(float* keys, unsigned n, unsigned size, unsigned stride) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned partner = i ^ stride;
  if (i >= n || partner < i) return;
  const float smaller = fminf(keys[i], keys[partner]);
  const float larger = fmaxf(keys[i], keys[partner]);
  keys[i] = (i & size) == 0 ? smaller : larger;
  keys[partner] = (i & size) == 0 ? larger : smaller;
}

Result global(float* keys, std::size_t n) {
  if (n > kMostKeys || (n & (n - 1)) != 0) return Result::bad_length;
  for (unsigned size = 2; size <= n; size *= 2)
    for (unsigned stride = size / 2; stride > 0; stride /= 2)
      step<<<kit::ceil_div<unsigned>(n, 256), 256>>>(keys, n, size, stride);
  return Result::sorted;
}

}  // namespace bitonic
