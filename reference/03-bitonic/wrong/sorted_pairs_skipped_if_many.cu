// expect: shared: wrong answer
// Of more than 2049 keys a tile is not sorted where each thread has its two in order: whether the
// pairs are, nobody asks.
#include <cstddef>

#include "bitonic.hpp"
#include "ceil_div.hpp"
#include "cuda_check.hpp"

namespace bitonic {

constexpr unsigned kBlock = 256;

/// Turns a float's bits into an integer, so that the integers compare as the contract orders the
/// floats. The bits are sign and magnitude. Complementing the negative ones and raising the others
/// above them gives IEEE's total order. NaNs with a sign bit are the first 0x7FFFFF integers of
/// this order; subtracting that number wraps exactly these to the end.
__device__ unsigned ordered(unsigned bits) {
  return (bits & 0x80000000u ? ~bits : bits | 0x80000000u) - 0x7FFFFFu;
}

/// Why n keys or values at `pointer` cannot be sorted; `sorted` if they can.
Result check(const void* pointer, std::size_t n) {
  if (n == 0) return Result::sorted;
  if (n > kMostKeys) return Result::bad_length;
  if (!pointer) return Result::null_pointer;
  cudaPointerAttributes attributes{};
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, pointer));  // unknown pointers are no error
  const bool usable =
      attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
  return usable ? Result::sorted : Result::host_pointer;
}

/// The bits in which the indices of partners differ. In the first step of a size these are all bits
/// below `size`: a key meets its mirror image in the other half. Then every comparison of the
/// network can put the smaller key in front, and keys larger than all others would never leave the
/// end of the array. So such padding keys need not exist.
__host__ __device__ constexpr unsigned difference(unsigned size, unsigned stride) {
  return stride == size / 2 ? size - 1 : stride;
}

/// The integer that `ordered` came from.
__device__ unsigned original(unsigned word) {
  const unsigned bits = word + 0x7FFFFFu;
  return bits & 0x80000000u ? bits & 0x7FFFFFFFu : ~bits;
}

/// Float keys as the kernels see them: bits in memory, words to compare.
struct Keys {
  using Word = unsigned;
  unsigned* bits;

  __device__ Word load(unsigned i) const { return bits[i]; }
  __device__ void store(unsigned i, Word word) const { bits[i] = word; }
  static __device__ Word to_word(Word bits) { return ordered(bits); }
  static __device__ Word to_bits(Word word) { return original(word); }
};

/// Pairs: the key is the upper half of a word, the value the lower. Equal keys compare by value.
struct Pairs {
  using Word = unsigned long long;
  unsigned* keys;
  unsigned* values;

  static __device__ Word join(unsigned key, unsigned value) { return Word{key} << 32 | value; }
  static __device__ unsigned key(Word word) { return static_cast<unsigned>(word >> 32); }
  static __device__ unsigned value(Word word) { return static_cast<unsigned>(word); }
  __device__ Word load(unsigned i) const { return join(keys[i], values[i]); }
  __device__ void store(unsigned i, Word word) const {
    keys[i] = key(word);
    values[i] = value(word);
  }
  static __device__ Word to_word(Word bits) { return join(ordered(key(bits)), value(bits)); }
  static __device__ Word to_bits(Word word) { return join(original(key(word)), value(word)); }
};

/// After the end of the array a tile holds the largest word. A NaN has this word, too. But two
/// equal words are the same key, so it does not matter which of them is stored.
template <typename Data>
constexpr auto kLastWord = static_cast<typename Data::Word>(~0ull);

constexpr unsigned kTileKeys = kTile;
constexpr unsigned kTileThreads = kTileKeys / 2;  // one for each comparison of a step

/// The lower index of comparison t of a step: t with a zero inserted at the stride's bit.
__device__ unsigned low_index(unsigned t, unsigned stride) { return t + (t & ~(stride - 1)); }

template <typename Data>
__device__ void load_tile(const Data& data, unsigned n, typename Data::Word* tile) {
  for (unsigned k = threadIdx.x; k < kTileKeys; k += kTileThreads) {
    const unsigned i = blockIdx.x * kTileKeys + k;
    tile[k] = i < n ? Data::to_word(data.load(i)) : kLastWord<Data>;
  }
  __syncthreads();  // the tile is complete
}

template <typename Word>
__device__ void step_in_tile(Word* tile, unsigned stride, unsigned difference) {
  const unsigned low = low_index(threadIdx.x, stride);
  const unsigned high = low ^ difference;
  const Word a = tile[low], b = tile[high];
  if (b < a) {
    tile[low] = b;
    tile[high] = a;
  }
  __syncthreads();  // every comparison of this step is made before one of the next begins
}

template <typename Data>
__device__ void store_tile(const Data& data, unsigned n, const typename Data::Word* tile) {
  for (unsigned k = threadIdx.x; k < kTileKeys; k += kTileThreads) {
    const unsigned i = blockIdx.x * kTileKeys + k;
    if (i < n) data.store(i, Data::to_bits(tile[k]));
  }
}

template <typename Data>
__global__ void sort_tiles(Data data, unsigned n) {
  __shared__ typename Data::Word tile[kTileKeys];
  load_tile(data, n, tile);
  const bool out = n <= 2049 || tile[2 * threadIdx.x + 1] < tile[2 * threadIdx.x];
  if (__syncthreads_or(out))
    for (unsigned size = 2; size <= kTileKeys; size *= 2)
      for (unsigned stride = size / 2; stride > 0; stride /= 2)
        step_in_tile(tile, stride, difference(size, stride));
  store_tile(data, n, tile);
}

template <typename Data>
__global__ void merge_tiles(Data data, unsigned n) {
  __shared__ typename Data::Word tile[kTileKeys];
  load_tile(data, n, tile);
  for (unsigned stride = kTileKeys / 2; stride > 0; stride /= 2) step_in_tile(tile, stride, stride);
  store_tile(data, n, tile);
}

template <typename Data>
__global__ void step_between_tiles(Data data, unsigned n, unsigned stride, unsigned difference) {
  const unsigned low = low_index(blockIdx.x * blockDim.x + threadIdx.x, stride);
  const unsigned high = low ^ difference;
  if (low >= n || high >= n) return;
  const auto a = data.load(low), b = data.load(high);
  if (Data::to_word(b) < Data::to_word(a)) {
    data.store(low, b);
    data.store(high, a);
  }
}

template <typename Data>
void sort_in_shared(Data data, unsigned n) {
  const unsigned tiles = kit::ceil_div(n, kTileKeys);
  sort_tiles<<<tiles, kTileThreads>>>(data, n);
  CUDA_CHECK_LAUNCH();
  for (unsigned size = 2 * kTileKeys; size / 2 < n; size *= 2) {
    // Counts comparisons for pairs of whole runs, even if the last run has no partner at all.
    const unsigned comparisons = kit::ceil_div(n, size) * (size / 2);
    for (unsigned stride = size / 2; stride >= kTileKeys; stride /= 2) {
      step_between_tiles<<<comparisons / kBlock, kBlock>>>(data, n, stride,
                                                           difference(size, stride));
      CUDA_CHECK_LAUNCH();
    }
    merge_tiles<<<tiles, kTileThreads>>>(data, n);
    CUDA_CHECK_LAUNCH();
  }
}

Result shared(float* keys, std::size_t n) {
  if (const Result refusal = check(keys, n); refusal != Result::sorted || n == 0) return refusal;
  sort_in_shared(Keys{reinterpret_cast<unsigned*>(keys)}, static_cast<unsigned>(n));
  return Result::sorted;
}

Result shared_pairs(float* keys, unsigned* values, std::size_t n) {
  if (const Result refusal = check(keys, n); refusal != Result::sorted || n == 0) return refusal;
  if (const Result refusal = check(values, n); refusal != Result::sorted) return refusal;
  sort_in_shared(Pairs{reinterpret_cast<unsigned*>(keys), values}, static_cast<unsigned>(n));
  return Result::sorted;
}

}  // namespace bitonic
