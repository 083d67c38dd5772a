// expect: shared: wrong answer
// A step between tiles has n / 2 threads: if n is no power of two, too few for the pairs of the last
// size, whose indices have gaps.
#include "bitonic.hpp"
#include "ceil_div.hpp"
#include "cuda_check.hpp"

namespace bitonic {

__device__ unsigned ordered(float key) {
  const unsigned bits = __float_as_uint(key);
  return (bits & 0x80000000u ? ~bits : bits | 0x80000000u) - 0x7FFFFFu;
}

__device__ float key_of(unsigned word) {
  const unsigned bits = word + 0x7FFFFFu;
  return __uint_as_float(bits & 0x80000000u ? bits & 0x7FFFFFFFu : ~bits);
}

bool usable(const void* pointer) {
  cudaPointerAttributes attributes{};
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, pointer));
  return attributes.type == cudaMemoryTypeDevice;
}

__global__ void step(float* keys, unsigned n, unsigned stride, unsigned difference) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned low = t + (t & ~(stride - 1)), high = low ^ difference;
  if (high >= n) return;
  const float a = keys[low], b = keys[high];
  if (ordered(a) > ordered(b)) {
    keys[low] = b;
    keys[high] = a;
  }
}

constexpr unsigned kThreads = kTile / 2;

__device__ void compare(unsigned* tile, unsigned stride, unsigned difference) {
  const unsigned low = threadIdx.x + (threadIdx.x & ~(stride - 1)), high = low ^ difference;
  const unsigned a = tile[low], b = tile[high];
  tile[low] = min(a, b);
  tile[high] = max(a, b);
}

__global__ void merge_tiles(float* keys, unsigned n, unsigned first_size) {
  __shared__ unsigned tile[kTile];
  const unsigned base = blockIdx.x * kTile;
  for (unsigned k = threadIdx.x; k < kTile; k += kThreads)
    tile[k] = base + k < n ? ordered(keys[base + k]) : 0xFFFFFFFFu;
  __syncthreads();
  for (unsigned size = first_size; size <= 2 * kTile; size *= 2)
    for (unsigned stride = min(size / 2, kThreads); stride > 0; stride /= 2) {
      compare(tile, stride, stride == size / 2 ? size - 1 : stride);
      __syncthreads();
    }
  for (unsigned k = threadIdx.x; k < kTile; k += kThreads)
    if (base + k < n) keys[base + k] = key_of(tile[k]);
}

Result shared(float* keys, std::size_t n) {
  if (n == 0) return Result::sorted;
  if (n > kMostKeys) return Result::bad_length;
  if (!keys) return Result::null_pointer;
  if (!usable(keys)) return Result::host_pointer;
  const unsigned tiles = kit::ceil_div<unsigned>(n, kTile);
  merge_tiles<<<tiles, kThreads>>>(keys, n, 2);
  for (unsigned size = 2 * kTile; size / 2 < n; size *= 2) {
    for (unsigned stride = size / 2; stride >= kTile; stride /= 2)
      step<<<kit::ceil_div<unsigned>(n / 2, 256), 256>>>(
          keys, n, stride, stride == size / 2 ? size - 1 : stride);
    merge_tiles<<<tiles, kThreads>>>(keys, n, 2 * kTile);
  }
  return Result::sorted;
}

}  // namespace bitonic
