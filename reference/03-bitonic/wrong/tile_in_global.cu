// expect: shared: too slow: Load a tile into shared memory
// All steps of a tile in one launch, with barriers between them, but every step still reads and
// writes global memory: that saves the launches, but not the passes.
#include "bitonic.hpp"
#include "ceil_div.hpp"
#include "cuda_check.hpp"

namespace bitonic {

__device__ unsigned ordered(float key) {
  const unsigned bits = __float_as_uint(key);
  return (bits & 0x80000000u ? ~bits : bits | 0x80000000u) - 0x7FFFFFu;
}

bool usable(const void* pointer) {
  cudaPointerAttributes attributes{};
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, pointer));
  return attributes.type == cudaMemoryTypeDevice;
}

/// Comparison t of a step; `values` may be null.
__device__ void compare(float* keys, unsigned* values, unsigned n, unsigned t, unsigned size,
                        unsigned stride) {
  const unsigned low = t + (t & ~(stride - 1));
  const unsigned high = low ^ (stride == size / 2 ? size - 1 : stride);
  if (low >= n || high >= n) return;
  const float a = keys[low], b = keys[high];
  const unsigned a_value = values ? values[low] : 0, b_value = values ? values[high] : 0;
  if (ordered(a) < ordered(b) || (ordered(a) == ordered(b) && a_value <= b_value)) return;
  keys[low] = b;
  keys[high] = a;
  if (values) {
    values[low] = b_value;
    values[high] = a_value;
  }
}

__global__ void step(float* keys, unsigned* values, unsigned n, unsigned size, unsigned stride) {
  compare(keys, values, n, blockIdx.x * blockDim.x + threadIdx.x, size, stride);
}

/// The steps of the sizes from `first` to `last` that stay inside a tile.
__global__ void steps_of_tile(float* keys, unsigned* values, unsigned n, unsigned first,
                              unsigned last) {
  const unsigned t = blockIdx.x * (kTile / 2) + threadIdx.x;
  for (unsigned size = first; size <= last; size *= 2)
    for (unsigned stride = min(size / 2, unsigned(kTile / 2)); stride > 0; stride /= 2) {
      compare(keys, values, n, t, size, stride);
      __syncthreads();
    }
}

Result sort(float* keys, unsigned* values, unsigned n) {
  const unsigned tiles = kit::ceil_div<unsigned>(n, kTile);
  steps_of_tile<<<tiles, kTile / 2>>>(keys, values, n, 2, kTile);
  for (unsigned size = 2 * kTile; size / 2 < n; size *= 2) {
    const unsigned comparisons = kit::ceil_div(n, size) * (size / 2);
    for (unsigned stride = size / 2; stride >= kTile; stride /= 2)
      step<<<comparisons / 256, 256>>>(keys, values, n, size, stride);
    steps_of_tile<<<tiles, kTile / 2>>>(keys, values, n, size, size);
  }
  return Result::sorted;
}

Result shared(float* keys, std::size_t n) {
  if (n == 0) return Result::sorted;
  if (n > kMostKeys) return Result::bad_length;
  if (!keys) return Result::null_pointer;
  if (!usable(keys)) return Result::host_pointer;
  return sort(keys, nullptr, n);
}

Result shared_pairs(float* keys, unsigned* values, std::size_t n) {
  if (n == 0) return Result::sorted;
  if (n > kMostKeys) return Result::bad_length;
  if (!keys || !values) return Result::null_pointer;
  if (!usable(keys) || !usable(values)) return Result::host_pointer;
  return sort(keys, values, n);
}

}  // namespace bitonic
