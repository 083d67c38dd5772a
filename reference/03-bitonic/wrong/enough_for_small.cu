// expect: registers: wrong answer: 262144 keys
// One block makes all steps, with a fixed number of comparisons for each thread. That is enough for
// 2^17 keys, and its author tried no more.
#include "bitonic.hpp"
#include "cuda_check.hpp"

namespace bitonic {

__device__ unsigned ordered(float key) {
  const unsigned bits = __float_as_uint(key);
  return (bits & 0x80000000u ? ~bits : bits | 0x80000000u) - 0x7FFFFFu;
}

constexpr unsigned kThreads = 1024, kComparisons = 64;

__global__ void sort_in_one_block(float* keys, unsigned n) {
  for (unsigned size = 2; size / 2 < n; size *= 2)
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      for (unsigned k = 0; k < kComparisons; ++k) {
        const unsigned t = k * kThreads + threadIdx.x;
        const unsigned low = t + (t & ~(stride - 1));
        const unsigned high = low ^ (stride == size / 2 ? size - 1 : stride);
        if (high >= n) continue;
        const float a = keys[low], b = keys[high];
        if (ordered(a) > ordered(b)) {
          keys[low] = b;
          keys[high] = a;
        }
      }
      __syncthreads();
    }
}

bool usable(const void* pointer) {
  cudaPointerAttributes attributes{};
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, pointer));
  return attributes.type == cudaMemoryTypeDevice;
}

Result registers(float* keys, std::size_t n) {
  if (n == 0) return Result::sorted;
  if (n > kMostKeys) return Result::bad_length;
  if (!keys) return Result::null_pointer;
  if (!usable(keys)) return Result::host_pointer;
  sort_in_one_block<<<1, kThreads>>>(keys, static_cast<unsigned>(n));
  return Result::sorted;
}

}  // namespace bitonic
