// Bitonic sort, a sorting network: a fixed list of comparisons, the same for every input. Each
// comparison puts the smaller of two keys in the first place and the larger in the second. The
// network for n keys has about log2(n)^2 / 2 steps of n / 2 comparisons, and all comparisons of a
// step can be made at the same time.
//
// No step may begin before every thread has finished the step before. For the whole array only the
// end of a launch ensures that. Within a block a barrier does, within a thread the order of its
// lines.
#include <cstddef>

#include "bitonic.hpp"
#include "ceil_div.hpp"
#include "cuda_check.hpp"

namespace bitonic {
namespace {

// Threads per block: a multiple of the 32 lanes of a warp. With 256, every current GPU can fill its
// multiprocessors with whole blocks.
constexpr unsigned kBlock = 256;

// ---- stage 1: global ----------------------------------------------------------------------------

// BEGIN STAGE 1 global: an order for all floats, and one step of the network (about 15 lines)
/// Turns a float's bits into an integer, so that the integers compare as the contract orders the
/// floats. The bits are sign and magnitude. Complementing the negative ones and raising the others
/// above them gives IEEE's total order. NaNs with a sign bit are the first 0x7FFFFF integers of
/// this order; subtracting that number wraps exactly these to the end.
__device__ unsigned ordered(unsigned bits) {
  return (bits & 0x80000000u ? ~bits : bits | 0x80000000u) - 0x7FFFFFu;
}

/// Compares each key with its partner, `stride` away. Runs of `size` keys become sorted, upwards
/// and downwards by turns. Then two neighbouring runs are bitonic, as the next size needs.
__global__ void step_by_turns(float* keys, unsigned n, unsigned size, unsigned stride) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned partner = i ^ stride;
  if (i >= n || partner < i) return;  // one of the two threads serves both keys
  const bool upwards = (i & size) == 0;
  const float mine = keys[i], other = keys[partner];
  if ((ordered(__float_as_uint(mine)) > ordered(__float_as_uint(other))) == upwards) {
    keys[i] = other;
    keys[partner] = mine;
  }
}
// END STAGE 1

// ---- stage 2: any length ------------------------------------------------------------------------

// BEGIN STAGE 2 any-length: checks, and a step that needs no padding (about 25 lines)
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

__global__ void step_upwards(float* keys, unsigned n, unsigned difference) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned partner = i ^ difference;
  if (partner < i || partner >= n) return;
  const float mine = keys[i], other = keys[partner];
  if (ordered(__float_as_uint(mine)) > ordered(__float_as_uint(other))) {
    keys[i] = other;
    keys[partner] = mine;
  }
}
// END STAGE 2

// ---- stage 3: shared ----------------------------------------------------------------------------

// BEGIN STAGE 3 shared: load a tile, make all steps within it, store it (about 110 lines)
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
// END STAGE 3

// ---- stage 4: registers -------------------------------------------------------------------------

// BEGIN STAGE 4 registers: 16 words per thread, four strides between two exchanges (about 110 lines)
/// Doubles: the same map with 64 bits, 52 of them for the mantissa.
struct Doubles {
  using Word = unsigned long long;
  static constexpr Word kSign = 1ull << 63, kNans = (1ull << 52) - 1;
  Word* bits;

  __device__ Word load(unsigned i) const { return bits[i]; }
  __device__ void store(unsigned i, Word word) const { bits[i] = word; }
  static __device__ Word to_word(Word bits) {
    return (bits & kSign ? ~bits : bits | kSign) - kNans;
  }
  static __device__ Word to_bits(Word word) {
    const Word bits = word + kNans;
    return bits & kSign ? bits & ~kSign : ~bits;
  }
};

// A thread holds 16 words whose indices differ in four bits. It makes the steps of these four bits
// in its registers, without any other thread. Then it takes 16 words that differ in the next four
// bits, through shared memory if they are all in one tile.
constexpr int kHeldBits = 4, kLargeTileBits = 12;
constexpr unsigned kHeld = 1u << kHeldBits, kLargeTile = 1u << kLargeTileBits;
constexpr unsigned kLargeTileThreads = kLargeTile / kHeld;

/// The bits below bit `bits`.
__device__ unsigned below(int bits) { return (1u << bits) - 1; }

/// The index of the word number `held` of a thread. The words differ in the bits from `position`
/// on; the thread's number gives all other bits. For the first step of a size, the upper half of
/// the words are the mirror images of the lower half.
__device__ unsigned index_of(unsigned held, unsigned thread, int position, bool mirrored) {
  const unsigned column = thread & below(position);
  const unsigned base = thread >> position << (position + kHeldBits);
  return base + (held << position) +
         (mirrored && held >= kHeld / 2 ? column ^ below(position) : column);
}

/// One step among the words of a thread. Integers have minimum and maximum in one instruction.
template <typename Word>
__device__ void step_held(Word (&word)[kHeld], unsigned stride, unsigned difference) {
#pragma unroll  // with constant indices the words stay in registers
  for (unsigned t = 0; t < kHeld / 2; ++t) {
    const unsigned low = low_index(t, stride);
    const Word a = word[low], b = word[low ^ difference];
    word[low] = min(a, b);
    word[low ^ difference] = max(a, b);
  }
}

/// The steps of the lowest `bits` of the four bits, from the highest on. If `mirrored`, the first
/// step compares mirror images.
template <typename Word>
__device__ void merge_held(Word (&word)[kHeld], int bits, bool mirrored) {
#pragma unroll
  for (int bit = kHeldBits - 1; bit >= 0; --bit) {
    if (bit >= bits) continue;
    const unsigned stride = 1u << bit;
    if (mirrored && bit == bits - 1)
      step_held(word, stride, 2 * stride - 1);
    else
      step_held(word, stride, stride);
  }
}

/// The place of word i in shared memory. With one free word after each 16, the 32 lanes of a warp
/// use 32 banks (all but one of them), whatever `position` is.
__device__ unsigned place(unsigned i) { return i + i / kHeld; }

/// The steps of the lowest `bits` bits, in a tile in shared memory.
template <typename Word>
__device__ void merge_tile(Word* tile, int bits, bool mirrored) {
  Word word[kHeld];
  for (int left = bits; left > 0;) {
    const int position = max(left - kHeldBits, 0);
#pragma unroll
    for (unsigned k = 0; k < kHeld; ++k)
      word[k] = tile[place(index_of(k, threadIdx.x, position, mirrored))];
    merge_held(word, left - position, mirrored);
#pragma unroll
    for (unsigned k = 0; k < kHeld; ++k)
      tile[place(index_of(k, threadIdx.x, position, mirrored))] = word[k];
    __syncthreads();  // all words of these steps are there before any thread takes its next words
    left = position;
    mirrored = false;
  }
}

/// A pass over tiles: sorts each tile if `first`, otherwise makes the steps of the lowest `bits`
/// bits. Neighbouring threads load and store neighbouring keys.
template <typename Data>
__global__ void __launch_bounds__(kLargeTileThreads)
    pass_over_tiles(Data data, unsigned n, int bits, bool first) {
  __shared__ typename Data::Word tile[kLargeTile + kLargeTile / kHeld];
  const unsigned start = blockIdx.x * kLargeTile;
#pragma unroll
  for (unsigned k = threadIdx.x; k < kLargeTile; k += kLargeTileThreads)
    tile[place(k)] = start + k < n ? Data::to_word(data.load(start + k)) : kLastWord<Data>;
  __syncthreads();  // the tile is complete
  for (int size = 1; first && size <= kLargeTileBits; ++size) merge_tile(tile, size, true);
  if (!first) merge_tile(tile, bits, false);
#pragma unroll
  for (unsigned k = threadIdx.x; k < kLargeTile; k += kLargeTileThreads)
    if (start + k < n) data.store(start + k, Data::to_bits(tile[place(k)]));
}

/// A pass between tiles: the steps of four bits, from bit `lowest` on, in registers alone.
template <typename Data>
__global__ void __launch_bounds__(kBlock)
    pass_between_tiles(Data data, unsigned n, int lowest, bool mirrored) {
  const unsigned thread = blockIdx.x * kBlock + threadIdx.x;
  typename Data::Word word[kHeld];
#pragma unroll
  for (unsigned k = 0; k < kHeld; ++k) {
    const unsigned i = index_of(k, thread, lowest, mirrored);
    word[k] = i < n ? Data::to_word(data.load(i)) : kLastWord<Data>;
  }
  merge_held(word, kHeldBits, mirrored);
#pragma unroll
  for (unsigned k = 0; k < kHeld; ++k) {
    const unsigned i = index_of(k, thread, lowest, mirrored);
    if (i < n) data.store(i, Data::to_bits(word[k]));
  }
}

template <typename Data>
void sort_in_registers(Data data, unsigned n) {
  const unsigned tiles = kit::ceil_div(n, kLargeTile);
  pass_over_tiles<<<tiles, kLargeTileThreads>>>(data, n, kLargeTileBits, true);
  CUDA_CHECK_LAUNCH();
  for (int size = kLargeTileBits + 1; n > 1u << (size - 1); ++size) {
    int left = size;  // the steps of so many bits are left
    for (; left > kLargeTileBits; left -= kHeldBits) {
      const unsigned threads = kit::ceil_div(n, 1u << left) << (left - kHeldBits);
      pass_between_tiles<<<kit::ceil_div(threads, kBlock), kBlock>>>(data, n, left - kHeldBits,
                                                                     left == size);
      CUDA_CHECK_LAUNCH();
    }
    pass_over_tiles<<<tiles, kLargeTileThreads>>>(data, n, left, false);
    CUDA_CHECK_LAUNCH();
  }
}
// END STAGE 4

}  // namespace

// ---- entry points -------------------------------------------------------------------------------

Result global(float* keys, std::size_t n) {
  // BEGIN STAGE 1 global: refuse other lengths, then launch every step (about 9 lines)
  // STUB: return Result::unfinished;
  if (n > kMostKeys || (n & (n - 1)) != 0) return Result::bad_length;
  const auto length = static_cast<unsigned>(n);
  for (unsigned size = 2; size <= length; size *= 2)
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      step_by_turns<<<kit::ceil_div(length, kBlock), kBlock>>>(keys, length, size, stride);
      CUDA_CHECK_LAUNCH();
    }
  return Result::sorted;
  // END STAGE 1
}

Result any_length(float* keys, std::size_t n) {
  // BEGIN STAGE 2 any-length: check, then launch every step up to the size that covers n (9 lines)
  // STUB: return Result::unfinished;
  if (const Result refusal = check(keys, n); refusal != Result::sorted) return refusal;
  const auto length = static_cast<unsigned>(n);
  for (unsigned size = 2; size / 2 < length; size *= 2)
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      step_upwards<<<kit::ceil_div(length, kBlock), kBlock>>>(keys, length,
                                                              difference(size, stride));
      CUDA_CHECK_LAUNCH();
    }
  return Result::sorted;
  // END STAGE 2
}

Result shared(float* keys, std::size_t n) {
  // BEGIN STAGE 3 shared: check, then sort keys (about 4 lines)
  // STUB: return Result::unfinished;
  if (const Result refusal = check(keys, n); refusal != Result::sorted || n == 0) return refusal;
  sort_in_shared(Keys{reinterpret_cast<unsigned*>(keys)}, static_cast<unsigned>(n));
  return Result::sorted;
  // END STAGE 3
}

Result shared_pairs(float* keys, unsigned* values, std::size_t n) {
  // BEGIN STAGE 3 shared: check both pointers, then sort pairs (about 5 lines)
  // STUB: return Result::unfinished;
  if (const Result refusal = check(keys, n); refusal != Result::sorted || n == 0) return refusal;
  if (const Result refusal = check(values, n); refusal != Result::sorted) return refusal;
  sort_in_shared(Pairs{reinterpret_cast<unsigned*>(keys), values}, static_cast<unsigned>(n));
  return Result::sorted;
  // END STAGE 3
}

Result registers(float* keys, std::size_t n) {
  // BEGIN STAGE 4 registers: check, then sort keys (about 4 lines)
  // STUB: return Result::unfinished;
  if (const Result refusal = check(keys, n); refusal != Result::sorted || n == 0) return refusal;
  sort_in_registers(Keys{reinterpret_cast<unsigned*>(keys)}, static_cast<unsigned>(n));
  return Result::sorted;
  // END STAGE 4
}

Result registers_doubles(double* keys, std::size_t n) {
  // BEGIN STAGE 4 registers: check, then sort doubles (about 4 lines)
  // STUB: return Result::unfinished;
  if (const Result refusal = check(keys, n); refusal != Result::sorted || n == 0) return refusal;
  sort_in_registers(Doubles{reinterpret_cast<Doubles::Word*>(keys)}, static_cast<unsigned>(n));
  return Result::sorted;
  // END STAGE 4
}

Result registers_pairs(float* keys, unsigned* values, std::size_t n) {
  // BEGIN STAGE 4 registers: check both pointers, then sort pairs (about 5 lines)
  // STUB: return Result::unfinished;
  if (const Result refusal = check(keys, n); refusal != Result::sorted || n == 0) return refusal;
  if (const Result refusal = check(values, n); refusal != Result::sorted) return refusal;
  sort_in_registers(Pairs{reinterpret_cast<unsigned*>(keys), values}, static_cast<unsigned>(n));
  return Result::sorted;
  // END STAGE 4
}

}  // namespace bitonic
