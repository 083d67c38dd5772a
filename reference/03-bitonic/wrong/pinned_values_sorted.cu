// expect on cpu: shared: wrong answer: returned sorted, expected host_pointer
// Pinned values are taken for the device's, pinned keys are not.
#include <cstddef>

#include "bitonic.hpp"
#include "ceil_div.hpp"
#include "cuda_check.hpp"

namespace bitonic {
namespace {

constexpr unsigned kBlock = 256;
constexpr unsigned kTileKeys = kTile, kTileThreads = kTileKeys / 2;

Result check(const void* pointer, std::size_t n) {
  if (n == 0) return Result::sorted;
  if (n > kMostKeys) return Result::bad_length;
  if (!pointer) return Result::null_pointer;
  cudaPointerAttributes attributes{};
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, pointer));
  return attributes.type == cudaMemoryTypeDevice ? Result::sorted : Result::host_pointer;
}

/// Integers that compare as the contract orders the floats, or doubles, with these bits.
__device__ unsigned ordered(unsigned bits) {
  return (bits & 0x80000000u ? ~bits : bits | 0x80000000u) - 0x7FFFFFu;
}
__device__ unsigned long long ordered(unsigned long long bits) {
  return (bits & 1ull << 63 ? ~bits : bits | 1ull << 63) - ((1ull << 52) - 1);
}

template <typename Bits>
struct Keys {
  using Word = Bits;
  Bits* bits;

  __device__ Word load(unsigned i) const { return bits[i]; }
  __device__ void store(unsigned i, Word word) const { bits[i] = word; }
  static __device__ bool less(Word a, Word b) { return ordered(a) < ordered(b); }
};

struct Pairs {
  struct Word {
    unsigned key, value;
  };
  unsigned* keys;
  unsigned* values;

  __device__ Word load(unsigned i) const { return {keys[i], values[i]}; }
  __device__ void store(unsigned i, Word word) const {
    keys[i] = word.key;
    values[i] = word.value;
  }
  static __device__ bool less(Word a, Word b) {
    return a.key == b.key ? a.value < b.value : ordered(a.key) < ordered(b.key);
  }
};

/// The bits in which partners differ: in the first step of a size they are mirror images.
__host__ __device__ constexpr unsigned difference(unsigned size, unsigned stride) {
  return stride == size / 2 ? size - 1 : stride;
}
__device__ unsigned low_index(unsigned t, unsigned stride) { return t + (t & ~(stride - 1)); }

/// One comparison in global memory. Keys after the end would be the largest: they never move.
template <typename Data>
__device__ void compare_in_memory(const Data& data, unsigned n, unsigned low, unsigned high) {
  if (low >= n || high >= n) return;
  const auto a = data.load(low), b = data.load(high);
  if (!Data::less(b, a)) return;
  data.store(low, b);
  data.store(high, a);
}

template <typename Data>
__global__ void step_between_tiles(Data data, unsigned n, unsigned size, unsigned stride) {
  const unsigned low = low_index(blockIdx.x * blockDim.x + threadIdx.x, stride);
  compare_in_memory(data, n, low, low ^ difference(size, stride));
}

// ---- shared -------------------------------------------------------------------------------------

/// The steps of the sizes from `first` to `last` that stay inside a tile, in global memory.
template <typename Data>
__global__ void steps_of_tiles(Data data, unsigned n, unsigned first, unsigned last) {
  const unsigned t = blockIdx.x * kTileThreads + threadIdx.x;
  for (unsigned size = first; size <= last; size *= 2)
    for (unsigned stride = min(size / 2, kTileThreads); stride > 0; stride /= 2) {
      const unsigned low = low_index(t, stride);
      compare_in_memory(data, n, low, low ^ difference(size, stride));
      __syncthreads();  // every comparison of this step is made before one of the next begins
    }
}

template <typename Data>
Result sort_tile_by_tile(Data data, unsigned n) {
  const unsigned tiles = kit::ceil_div(n, kTileKeys);
  steps_of_tiles<<<tiles, kTileThreads>>>(data, n, 2, kTileKeys);
  for (unsigned size = 2 * kTileKeys; size / 2 < n; size *= 2) {
    const unsigned comparisons = kit::ceil_div(n, size) * (size / 2);
    for (unsigned stride = size / 2; stride >= kTileKeys; stride /= 2)
      step_between_tiles<<<comparisons / kBlock, kBlock>>>(data, n, size, stride);
    steps_of_tiles<<<tiles, kTileThreads>>>(data, n, size, size);
  }
  CUDA_CHECK_LAUNCH();
  return Result::sorted;
}

}  // namespace

Result shared(float* keys, std::size_t n) {
  if (const Result refusal = check(keys, n); refusal != Result::sorted || n == 0) return refusal;
  return sort_tile_by_tile(Keys<unsigned>{reinterpret_cast<unsigned*>(keys)}, n);
}

Result shared_pairs(float* keys, unsigned* values, std::size_t n) {
  if (const Result refusal = check(keys, n); refusal != Result::sorted || n == 0) return refusal;
  if (!values) return Result::null_pointer;
  cudaPointerAttributes attributes{};
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, values));
  if (attributes.type == cudaMemoryTypeUnregistered) return Result::host_pointer;
  return sort_tile_by_tile(Pairs{reinterpret_cast<unsigned*>(keys), values}, n);
}

}  // namespace bitonic
