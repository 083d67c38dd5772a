// expect: any-length: wrong answer: not in order
// Blocks of 192 threads, and a slip in rounding up: one pair more than whole blocks has no thread.
#include "bitonic.hpp"
#include "ceil_div.hpp"
#include "cuda_check.hpp"

namespace bitonic {

constexpr unsigned kThreads = 192;

__device__ unsigned ordered(float key) {
  const unsigned bits = __float_as_uint(key);
  return (bits & 0x80000000u ? ~bits : bits | 0x80000000u) - 0x7FFFFFu;
}

bool usable(const void* pointer) {
  cudaPointerAttributes attributes{};
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, pointer));
  return attributes.type == cudaMemoryTypeDevice;
}

__global__ void step(float* keys, unsigned n, unsigned stride, unsigned difference) {
  const unsigned pair = blockIdx.x * kThreads + threadIdx.x;
  const unsigned i = pair + (pair & ~(stride - 1)), partner = i ^ difference;
  if (partner >= n) return;
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
  if (!usable(keys)) return Result::host_pointer;
  for (unsigned size = 2; size / 2 < n; size *= 2)
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      const unsigned pairs = kit::ceil_div<unsigned>(n, 2 * stride) * stride;
      const unsigned blocks = pairs < kThreads ? 1 : (pairs + kThreads - 2) / kThreads;
      step<<<blocks, kThreads>>>(keys, n, stride, stride == size / 2 ? size - 1 : stride);
    }
  CUDA_CHECK_LAUNCH();
  return Result::sorted;
}

}  // namespace bitonic
