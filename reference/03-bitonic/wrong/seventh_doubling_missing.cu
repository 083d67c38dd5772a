// expect: any-length: wrong answer: not in order
// A table of sizes, for 1025 to 131,072 keys, lacks the last one.
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
  constexpr unsigned kSizes[] = {1024, 2048, 4096, 8192, 16384, 32768, 65536};
  unsigned largest = 2;
  while (largest < n) largest *= 2;
  if (n > 1024 && n <= 131072) {
    for (const unsigned size : kSizes)
      if (size / 2 < n) largest = size;
  }
  const unsigned blocks = kit::ceil_div<unsigned>(n, 256);
  for (unsigned size = 2; size <= largest; size *= 2)
    for (unsigned stride = size / 2; stride > 0; stride /= 2)
      step<<<blocks, 256>>>(keys, n, stride == size / 2 ? size - 1 : stride);
  CUDA_CHECK_LAUNCH();
  return Result::sorted;
}

}  // namespace bitonic
