// Bitonic sort. A sorting network: a fixed list of comparisons, the same for every input, each of
// which puts the smaller of two keys in the first place and the larger in the second. The network
// for n keys has about log2(n)^2 / 2 steps of n / 2 comparisons, and all comparisons of a step can
// be made at the same time.
//
// Between two steps every thread must have finished the last one. Across the whole array only the
// end of a launch says so; within a block a barrier does, within a thread the order of its lines.
#include "bitonic.hpp"

#include <algorithm>
#include <cstddef>

#include "ceil_div.hpp"
#include "cuda_check.hpp"

namespace bitonic {
namespace {

// Threads of a block. A multiple of the warp's 32; 256 lets every current GPU fill its
// multiprocessors with whole blocks.
constexpr unsigned kBlock = 256;

// ---- stage 1: global ----------------------------------------------------------------------------

// BEGIN STAGE 1 global: an order for all floats, and one step of the network (about 20 lines)
/// Turns a float's bits into an integer, such that integers compare as the contract orders floats.
/// The bits are sign and magnitude: complementing the negative ones and raising the others above
/// them gives IEEE's total order. NaNs with a sign bit are its first 0x7FFFFF integers; subtracting
/// that many wraps just them round to the end.
__device__ unsigned ordered(unsigned bits) {
  return (bits & 0x80000000u ? ~bits : bits | 0x80000000u) - 0x7FFFFFu;
}

/// Compares each key with its partner, `stride` away. Runs of `size` keys become sorted, upwards
/// and downwards by turns: two neighbouring runs are then bitonic, which the next size needs.
__global__ void step_by_turns(float* keys, unsigned n, unsigned size, unsigned stride) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned partner = i ^ stride;
  if (i >= n || partner < i) return;  // one of the two serves both
  const bool upwards = (i & size) == 0;
  const float mine = keys[i], other = keys[partner];
  if ((ordered(__float_as_uint(mine)) > ordered(__float_as_uint(other))) == upwards) {
    keys[i] = other;
    keys[partner] = mine;
  }
}
// END STAGE 1

// ---- stage 2: any length ------------------------------------------------------------------------

// BEGIN STAGE 2 any-length: checks, and a step that needs no padding (about 30 lines)
/// What stands against sorting n keys or values at `pointer`; `sorted` if nothing does.
Result check(const void* pointer, std::size_t n) {
  if (n == 0) return Result::sorted;
  if (n > kMostKeys) return Result::bad_length;
  if (!pointer) return Result::null_pointer;
  cudaPointerAttributes attributes{};
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, pointer));  // an unknown pointer is no error
  const bool usable =
      attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
  return usable ? Result::sorted : Result::host_pointer;
}

/// The bits in which the indices of partners differ. In the first step of a size those are all bits
/// below it: a key meets its mirror image in the other half. Then every comparison of the network
/// can put the smaller key in front, and keys larger than all others would never leave the end of
/// the array. So they need not exist.
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

  __device__ Keys from(unsigned i) const { return {bits + i}; }
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
  __device__ Pairs from(unsigned i) const { return {keys + i, values + i}; }
  __device__ Word load(unsigned i) const { return join(keys[i], values[i]); }
  __device__ void store(unsigned i, Word word) const {
    keys[i] = key(word);
    values[i] = value(word);
  }
  static __device__ Word to_word(Word bits) { return join(ordered(key(bits)), value(bits)); }
  static __device__ Word to_bits(Word word) { return join(original(key(word)), value(word)); }
};

/// Behind the end of the array a tile holds the largest word. It is the word of a NaN, too; but two
/// equal words are the same key, so it does not matter which of them is stored.
template <typename Data>
constexpr auto kLastWord = static_cast<typename Data::Word>(~0ull);

constexpr unsigned kTileKeys = kTile;
constexpr unsigned kTileThreads = kTileKeys / 2;  // one for each comparison of a step

/// Comparison t of a step is that of index `low`: t with a zero inserted at the stride's bit.
__device__ unsigned low_index(unsigned t, unsigned stride) { return t + (t & ~(stride - 1)); }

template <typename Data>
__device__ void load_tile(const Data& data, unsigned n, typename Data::Word* tile) {
  for (unsigned k = threadIdx.x; k < kTileKeys; k += kTileThreads) {
    const unsigned i = blockIdx.x * kTileKeys + k;
    tile[k] = i < n ? Data::to_word(data.load(i)) : kLastWord<Data>;
  }
  __syncthreads();  // the tile stands
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
    // Comparisons go by pairs of whole runs, also where the last run has no partner at all.
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

// BEGIN STAGE 4 registers: words in registers, which change hands in shared memory (250 lines)
/// Doubles: the same map with 64 bits, of which 52 are the mantissa's.
struct Doubles {
  using Word = unsigned long long;
  static constexpr Word kSign = 1ull << 63, kNans = (1ull << 52) - 1;
  Word* bits;

  __device__ Doubles from(unsigned i) const { return {bits + i}; }
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

// Words that a thread holds: so many that a pass makes four steps between two exchanges, and few
// enough that several blocks share the registers of a multiprocessor.
constexpr int kHeldBits = 4;
constexpr int kHeld = 1 << kHeldBits;
constexpr int kWarpBits = 5;

// Bits of a tile's index, of which kRowBits count rows where a tile is made of rows.
constexpr int kTileBits = 12;
constexpr int kRowBits = 8;
constexpr int kColumnBits = kTileBits - kRowBits;
constexpr unsigned kRegisterTile = 1u << kTileBits;
constexpr unsigned kRegisterThreads = kRegisterTile / kHeld;

// Blocks that share a multiprocessor: while some wait for memory, others compare. Without the bound
// the compiler keeps every address of a sort in a register, and two blocks are all that fit.
template <typename Data>
constexpr int kBlocksAtOnce = sizeof(typename Data::Word) == 4 ? 4 : 2;

/// The bits below bit `bits`.
__host__ __device__ constexpr unsigned below(int bits) { return (1u << bits) - 1; }

/// Room for a tile in shared memory, and word i's place there: two words are left free behind each
/// 32, and every second half of 32 has its neighbours swapped. In each view below the places of 32
/// neighbouring threads then lie in 32 different banks.
constexpr unsigned kRoom = kRegisterTile + kRegisterTile / 16;
__host__ __device__ constexpr unsigned spread(unsigned i) { return i + (i >> 5) * 2; }
__host__ __device__ constexpr unsigned place(unsigned i) { return spread(i) ^ (i >> 4 & 1); }

/// Which words of a tile a thread holds: those whose indices differ in the kHeldBits bits from
/// kPosition on; the thread's number fills the other bits. kPosition is 0, 4 or more. In a mirrored
/// view the first step of runs of 2^kBits words is to come: words in the upper half of a run are
/// the mirror images of those in the lower.
template <int kPosition, int kBits = kPosition + kHeldBits>
struct View {
  unsigned lower, upper;  // the bits that the thread's number gives

  __device__ explicit View(bool mirrored = false)
      : lower(threadIdx.x >> kPosition << (kPosition + kHeldBits) |
              (threadIdx.x & below(kPosition))),
        upper(mirrored ? lower ^ below(kPosition) : lower) {}

  __device__ unsigned own(unsigned held) const {
    return held >> (kBits - 1 - kPosition) & 1 ? upper : lower;
  }

  /// The place of word own(held) | held << kPosition, written so that it costs nothing: all even
  /// words have one address with a constant added, all odd ones another.
  __device__ unsigned place_of(unsigned held) const {
    const unsigned first = held & 1;
    const unsigned address = place(own(held) | first << kPosition) - spread(first << kPosition);
    return address + spread(held << kPosition);
  }
};

template <typename Word>
__device__ void compare(Word& a, Word& b) {
  const Word smaller = min(a, b);
  b = max(a, b);
  a = smaller;
}

/// The steps of kBits bits among the words of a thread, from the highest bit down; if `mirrored`,
/// the first compares mirror images.
template <int kBits, typename Word>
__device__ void merge_held(Word (&word)[kHeld], bool mirrored) {
#pragma unroll
  for (int bit = kBits - 1; bit >= 0; --bit) {
    const bool mirror = mirrored && bit == kBits - 1;
#pragma unroll
    for (unsigned i = 0; i < kHeld; ++i)
      if (!(i >> bit & 1)) {
        if (mirror)
          compare(word[i], word[i ^ below(kBits)]);
        else
          compare(word[i], word[i ^ (1u << bit)]);
      }
  }
}

/// The words change hands, from one view to another. What a thread has read it alone writes again,
/// so one barrier in the middle is enough; and where both views leave a warp its own words, it need
/// not wait for other warps.
template <int kFrom, int kTo, int kFromBits, int kToBits, typename Word>
__device__ void exchange(Word (&word)[kHeld], Word* tile, const View<kFrom, kFromBits>& from,
                         const View<kTo, kToBits>& to) {
#pragma unroll
  for (unsigned i = 0; i < kHeld; ++i) tile[from.place_of(i)] = word[i];
  if constexpr (kFrom <= kWarpBits && kTo <= kWarpBits)
    __syncwarp();  // the warp's words stand
  else
    __syncthreads();  // all words stand
#pragma unroll
  for (unsigned i = 0; i < kHeld; ++i) word[i] = tile[to.place_of(i)];
}

/// The view for the highest of the lowest kBits bits.
template <int kBits>
constexpr int kTop = std::min((kBits - 1) / kHeldBits * kHeldBits, kTileBits - kHeldBits);

/// Makes the steps of the bits below kBits, down to kLast. The words are in the view of the highest
/// of these bits before, and in View<kLast> afterwards.
template <int kBits, int kLast, int kPosition, typename Word>
__device__ void merge_down(Word (&word)[kHeld], Word* tile, const View<kPosition, kBits>& view,
                           bool mirrored) {
  merge_held<kBits - kPosition>(word, mirrored);
  if constexpr (kPosition > kLast) {
    const View<kTop<kPosition>, kPosition> next;
    exchange(word, tile, view, next);
    merge_down<kPosition, kLast>(word, tile, next, false);
  }
}

/// Sorts runs of 2^kBits words, 2^(kBits + 1) words and so on up to the tile, in View<0>.
template <int kBits, typename Word>
__device__ void sort_up(Word (&word)[kHeld], Word* tile) {
  if constexpr (kBits <= kHeldBits) {
    merge_held<kBits>(word, true);
  } else {
    const View<kTop<kBits>, kBits> top(true);
    exchange(word, tile, View<0>(), top);
    merge_down<kBits, 0>(word, tile, top, true);
  }
  if constexpr (kBits < kTileBits) sort_up<kBits + 1>(word, tile);
}

/// Where a thread's words stand in memory: word i is i * apart elements behind `lower`, the upper
/// half of the words behind `upper`. Two addresses and constants, where `apart` is constant.
template <typename Data>
struct Reach {
  using Word = typename Data::Word;
  Data low, high;
  unsigned low_left, high_left;  // so many elements exist from there on
  unsigned apart;

  __device__ Reach(const Data& data, unsigned n, unsigned lower, unsigned upper, unsigned apart)
      : low(data.from(min(lower, n))),
        high(data.from(min(upper, n))),
        low_left(n - min(lower, n)),
        high_left(n - min(upper, n)),
        apart(apart) {}

  __device__ bool exists(unsigned i) const {
    return i * apart < (i < kHeld / 2 ? low_left : high_left);
  }
  __device__ const Data& half(unsigned i) const { return i < kHeld / 2 ? low : high; }
  __device__ void load(Word (&word)[kHeld]) const {
#pragma unroll
    for (unsigned i = 0; i < kHeld; ++i)
      word[i] = exists(i) ? half(i).load(i * apart) : kLastWord<Data>;
  }
  __device__ void store(const Word (&word)[kHeld]) const {
#pragma unroll
    for (unsigned i = 0; i < kHeld; ++i)
      if (exists(i)) half(i).store(i * apart, word[i]);
  }
};

/// The reach of a view of this block's tile, where a tile is one piece of the array.
template <typename Data, int kPosition, int kBits>
__device__ Reach<Data> reach_of(const Data& data, unsigned n, const View<kPosition, kBits>& view) {
  const unsigned first = blockIdx.x * kRegisterTile + view.lower;
  return {data, n, first, first, 1u << kPosition};
}

/// Stores the words of View<0>. In View<4> sixteen neighbouring lanes hold neighbouring words, and
/// no warp waits for another.
template <typename Data>
__device__ void store_sorted(const Data& data, unsigned n, typename Data::Word (&word)[kHeld],
                             typename Data::Word* tile, bool last_pass) {
  const View<kHeldBits> coalesced;
  exchange(word, tile, View<0>(), coalesced);
  if (last_pass)
    for (auto& held : word) held = Data::to_bits(held);
  reach_of(data, n, coalesced).store(word);
}

/// First pass: every tile sorted on its own. Words stand in the keys' memory from here to the last.
template <typename Data>
__global__ void __launch_bounds__(kRegisterThreads, kBlocksAtOnce<Data>)
    sort_register_tiles(Data data, unsigned n, bool last_pass) {
  __shared__ typename Data::Word tile[kRoom];
  typename Data::Word word[kHeld];
  // Which thread takes which words does not matter: they are not sorted. But what does not exist
  // must stay the last word, which no NaN comes behind.
  const auto reach = reach_of(data, n, View<kTop<kTileBits>>());
  reach.load(word);
#pragma unroll
  for (unsigned i = 0; i < kHeld; ++i)
    if (reach.exists(i)) word[i] = Data::to_word(word[i]);
  sort_up<1>(word, tile);
  store_sorted(data, n, word, tile, last_pass);
}

/// The steps of kRowBits bits from bit `lowest` on. A tile has 2^kRowBits rows, 2^lowest words
/// apart; a row is 2^kColumnBits neighbouring words. If `mirrored`, the upper half of the rows are
/// from the tile's mirror image.
template <typename Data>
__global__ void __launch_bounds__(kRegisterThreads, kBlocksAtOnce<Data>)
    merge_rows(Data data, unsigned n, int lowest, bool mirrored) {
  __shared__ typename Data::Word tile[kRoom];
  typename Data::Word word[kHeld];
  const unsigned row_tiles = 1u << (lowest - kColumnBits);  // side by side between two rows
  const unsigned beside = (blockIdx.x & (row_tiles - 1)) << kColumnBits;
  const unsigned base = (blockIdx.x & ~(row_tiles - 1)) << kTileBits;
  const unsigned mirror = mirrored ? below(lowest) & ~below(kColumnBits) : 0;
  const auto address = [&](unsigned k, bool upper_half) {
    return base + (k >> kColumnBits << lowest) + (beside ^ (upper_half ? mirror : 0)) +
           (k & below(kColumnBits));
  };
  constexpr int kTopRows = kTop<kTileBits> - kColumnBits;  // held rows are 2^kTopRows rows apart
  const View<kTop<kTileBits>> top(mirrored);
  Reach<Data>(data, n, address(top.lower, false), address(top.upper, true),
              1u << (kTopRows + lowest))
      .load(word);
  merge_down<kTileBits, kColumnBits>(word, tile, top, mirrored);
  const View<kColumnBits> bottom;
  const unsigned first = address(bottom.lower, bottom.lower >> (kTileBits - 1));
  Reach<Data>(data, n, first, first, 1u << lowest).store(word);
}

/// The steps of the lowest kBits bits.
template <int kBits, typename Data>
__global__ void __launch_bounds__(kRegisterThreads, kBlocksAtOnce<Data>)
    merge_register_tiles(Data data, unsigned n, bool last_pass) {
  __shared__ typename Data::Word tile[kRoom];
  typename Data::Word word[kHeld];
  const View<kTop<kBits>, kBits> top;
  reach_of(data, n, top).load(word);
  merge_down<kBits, 0>(word, tile, top, false);
  store_sorted(data, n, word, tile, last_pass);
}

template <typename Data>
void sort_in_registers(Data data, unsigned n) {
  const unsigned tiles = kit::ceil_div(n, kRegisterTile);
  sort_register_tiles<<<tiles, kRegisterThreads>>>(data, n, tiles == 1);
  CUDA_CHECK_LAUNCH();
  for (int bits = kTileBits + 1; n > 1u << (bits - 1); ++bits) {
    const bool last_size = n <= 1u << bits;
    const unsigned row_tiles = kit::ceil_div(n, 1u << bits) << (bits - kTileBits);
    int left = bits;  // the steps of so many bits are to be made
    for (; left > kTileBits; left -= kRowBits) {
      merge_rows<<<row_tiles, kRegisterThreads>>>(data, n, left - kRowBits, left == bits);
      CUDA_CHECK_LAUNCH();
    }
    // What the rows have done already could be done again without harm, but not for nothing.
    constexpr int kFew = 2 * kHeldBits;
    if (left <= kFew)
      merge_register_tiles<kFew><<<tiles, kRegisterThreads>>>(data, n, last_size);
    else
      merge_register_tiles<kTileBits><<<tiles, kRegisterThreads>>>(data, n, last_size);
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
