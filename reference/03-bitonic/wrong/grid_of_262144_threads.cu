// expect: global: wrong answer: bitonic::global(keys, 1048576)
// No more than 512 blocks of 512 threads, each of which looks at one pair.
#include "bitonic.hpp"
#include "cuda_check.hpp"

namespace bitonic {

__device__ unsigned ordered(unsigned bits) {
  return (bits & 0x80000000u ? ~bits : bits | 0x80000000u) - 0x7FFFFFu;
}

__global__ void step(float* keys, unsigned pairs, unsigned size, unsigned stride) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= pairs) return;
  const unsigned low = t + (t & ~(stride - 1)), high = low + stride;
  const float a = keys[low], b = keys[high];
  if ((ordered(__float_as_uint(a)) > ordered(__float_as_uint(b))) == ((low & size) == 0)) {
    keys[low] = b;
    keys[high] = a;
  }
}

Result global(float* keys, std::size_t n) {
  if (n > kMostKeys || (n & (n - 1)) != 0) return Result::bad_length;
  const auto pairs = static_cast<unsigned>(n / 2);
  const unsigned blocks = (pairs + 511) / 512 < 512 ? (pairs + 511) / 512 : 512;
  for (unsigned size = 2; size <= n; size *= 2)
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      step<<<blocks, 512>>>(keys, pairs, size, stride);
      CUDA_CHECK_LAUNCH();
    }
  return Result::sorted;
}

}  // namespace bitonic
