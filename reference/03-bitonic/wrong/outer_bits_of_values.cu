// expect: shared: wrong answer: not in order
// Of a value only the bits count that its author's values had: the two highest and the eight lowest.
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

__global__ void step(float* keys, unsigned* values, unsigned n, unsigned difference) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned partner = i ^ difference;
  if (partner < i || partner >= n) return;
  const float mine = keys[i], other = keys[partner];
  const unsigned my_value = values[i], count = 0xC00000FFu;
  if (ordered(mine) > ordered(other) ||
      (ordered(mine) == ordered(other) && (my_value & count) > (values[partner] & count))) {
    keys[i] = other;
    keys[partner] = mine;
    values[i] = values[partner];
    values[partner] = my_value;
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
      step<<<kit::ceil_div<unsigned>(n, 256), 256>>>(
          keys, n, stride == size / 2 ? size - 1 : stride);
    merge_tiles<<<tiles, kThreads>>>(keys, n, 2 * kTile);
  }
  return Result::sorted;
}

Result shared_pairs(float* keys, unsigned* values, std::size_t n) {
  if (n == 0) return Result::sorted;
  if (n > kMostKeys) return Result::bad_length;
  if (!keys) return Result::null_pointer;
  if (!usable(keys)) return Result::host_pointer;
  if (!values) return Result::null_pointer;
  if (!usable(values)) return Result::host_pointer;
  for (unsigned size = 2; size / 2 < n; size *= 2)
    for (unsigned stride = size / 2; stride > 0; stride /= 2)
      step<<<kit::ceil_div<unsigned>(n, 256), 256>>>(
          keys, values, n, stride == size / 2 ? size - 1 : stride);
  return Result::sorted;
}

}  // namespace bitonic
