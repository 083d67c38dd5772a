// Bitonic sort, a sorting network: a fixed list of comparisons, the same for every input. Each
// comparison puts the smaller of two keys in the first place and the larger in the second. The
// network for n keys has about log2(n)^2 / 2 steps of n / 2 comparisons, and all comparisons of a
// step can be made at the same time.
//
// No step may begin before every thread has finished the step before. For the whole array only the
// end of a launch ensures that. Within a block a barrier does, within a thread the order of its
// lines.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <vector>

#include "bitonic.hpp"
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "dependent_launch.hpp"
#include "neighbours.hpp"
#include "pool_buffer.hpp"
#include "tagged_word.hpp"

namespace bitonic {
namespace {

// Threads per block: a multiple of the 32 lanes of a warp. With 256, every current GPU can fill its
// multiprocessors with whole blocks.
constexpr unsigned kBlock = 256;

// ---- stage 1: global ----------------------------------------------------------------------------

// BEGIN STAGE 1 global: an order for all floats, and one step of the network (about 20 lines)
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

// BEGIN STAGE 2 any-length: checks, and a step that needs no padding (about 30 lines)
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

  __host__ __device__ Keys from(unsigned i) const { return {bits + i}; }
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
  __host__ __device__ Pairs from(unsigned i) const { return {keys + i, values + i}; }
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

// BEGIN STAGE 4 registers: words in registers, exchanged through shared memory (about 480 lines)
/// Doubles: the same map with 64 bits, 52 of them for the mantissa.
struct Doubles {
  using Word = unsigned long long;
  static constexpr Word kSign = 1ull << 63, kNans = (1ull << 52) - 1;
  Word* bits;

  __host__ __device__ Doubles from(unsigned i) const { return {bits + i}; }
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

/// Float keys between the passes of one launch: beside each word is the number of the pass that
/// wrote it. A block waits for the words that it needs.
struct TaggedKeys {
  using Word = unsigned;
  kit::TaggedWord* words;
  unsigned pass = 1;

  __device__ void begin_pass(unsigned) {
    kit::begin_turn();
    ++pass;
  }
  __device__ void store(unsigned i, Word word) const { kit::store_tagged(words[i], word, pass); }
  __device__ void clear(unsigned i) const { kit::store_tagged(words[i], 0, 0); }
};

/// The same in half as much memory, for when that matters: in the memory of the keys. A block waits
/// for all 2^meeting blocks whose words meet.
struct MeetingKeys : Keys {
  __device__ void begin_pass(unsigned meeting) { kit::wait_for_neighbours(meeting); }
  __device__ void clear(unsigned) const {}
};

/// Reads a word, and says whether it was there. Only a word that another block writes can still be
/// missing.
template <typename Data>
__device__ bool read(const Data& data, unsigned i, typename Data::Word& word) {
  word = data.load(i);
  return true;
}
__device__ bool read(const TaggedKeys& keys, unsigned i, unsigned& word) {
  return kit::load_tagged(keys.words[i], word, keys.pass - 1);
}

/// The bits below bit `bits`.
__host__ __device__ constexpr unsigned below(int bits) { return (1u << bits) - 1; }

template <typename Word>
__device__ void compare(Word& a, Word& b) {
  const Word smaller = min(a, b);
  b = max(a, b);
  a = smaller;
}

/// One step among the words of a thread.
template <typename Word, unsigned kHeld>
__device__ void step_held(Word (&word)[kHeld], unsigned stride, unsigned difference) {
#pragma unroll
  for (unsigned t = 0; t < kHeld / 2; ++t) {
    const unsigned low = low_index(t, stride);
    compare(word[low], word[low ^ difference]);
  }
}

/// The steps of kBits bits among the words of a thread, from the highest bit down; if `mirrored`,
/// the first compares mirror images.
template <int kBits, typename Word, unsigned kHeld>
__device__ void merge_held(Word (&word)[kHeld], bool mirrored) {
  constexpr unsigned kHighest = 1u << (kBits - 1);
  if (mirrored)
    step_held(word, kHighest, below(kBits));
  else
    step_held(word, kHighest, kHighest);
#pragma unroll
  for (unsigned stride = kHighest / 2; stride > 0; stride /= 2) step_held(word, stride, stride);
}

/// Where a thread's words are in memory: word i is i * apart elements after `lower`, or after
/// `upper` if it belongs to the upper half of the words.
template <typename Data, unsigned kHeld>
struct Reach {
  using Word = typename Data::Word;
  const Data& data;
  unsigned n, lower, upper, apart;

  __device__ unsigned index(unsigned i) const {
    return (i < kHeld / 2 ? lower : upper) + i * apart;
  }
  /// Away from the array's end, two checks are enough for all words.
  template <typename Body>
  __device__ void with_existing(const Body& body) const {
    if (index(kHeld / 2 - 1) < n && index(kHeld - 1) < n)
      body([](unsigned) { return true; });
    else
      body([&](unsigned i) { return index(i) < n; });
  }
  template <typename Body>
  __device__ void for_each_existing(const Body& body) const {
    with_existing([&](auto exists) {
#pragma unroll
      for (unsigned i = 0; i < kHeld; ++i)
        if (exists(i)) body(i);
    });
  }

  /// In the first pass memory holds bits, in all others words. Reads all words, again and again,
  /// until every word is there.
  template <bool kFirst = false>
  __device__ void load(Word (&word)[kHeld]) const {
#pragma unroll
    for (Word& held : word) held = kLastWord<Data>;
    with_existing([&](auto exists) {
      bool all_there = false;
      while (!all_there) {
        all_there = true;
#pragma unroll
        for (unsigned i = 0; i < kHeld; ++i)
          if (exists(i)) all_there &= read(data, index(i), word[i]);
      }
    });
    if constexpr (kFirst) for_each_existing([&](unsigned i) { word[i] = Data::to_word(word[i]); });
  }
  __device__ void store(const Word (&word)[kHeld]) const {
    for_each_existing([&](unsigned i) { data.store(index(i), word[i]); });
  }
};

/// The steps of kBits bits from bit `lowest` on, in registers alone: thread `number` holds a column
/// of words. If `mirrored`, the upper half of them are from the column's mirror image.
template <int kBits, typename Data>
__device__ void merge_column(const Data& data, unsigned n, unsigned number, int lowest,
                             bool mirrored) {
  const unsigned base = number >> lowest << (lowest + kBits);
  const unsigned column = number & below(lowest);
  const unsigned image = mirrored ? column ^ below(lowest) : column;
  const Reach<Data, 1u << kBits> reach{data, n, base + column, base + image, 1u << lowest};
  typename Data::Word word[1 << kBits];
  reach.load(word);
  merge_held<kBits>(word, mirrored);
  reach.store(word);
}

constexpr int kWarpBits = 5;

/// The network on tiles of 2^kTileBits words. Each thread of a block holds 2^kHeldBits of them.
template <int kTileBits, int kHeldBits>
struct Network {
  static constexpr int kBits = kTileBits, kStrides = kHeldBits;
  static constexpr unsigned kWords = 1u << kTileBits, kHeld = 1u << kHeldBits;
  static constexpr unsigned kThreads = kWords / kHeld;

  /// Blocks that share a multiprocessor: while some wait for memory, others compare. Without this
  /// launch bound the compiler keeps every address of a sort in a register, and few blocks fit.
  static constexpr unsigned kAtOnce = (kHeldBits == 5 ? 1024 : 512) / kThreads;

  /// A tile of rows: a row is 2^kColumnBits neighbouring words, and its rows are far apart. Rows of
  /// 128 bytes are faster than rows of 64, but small tiles need the rows to be many.
  static constexpr int kColumnBits = kTileBits > 13 ? 5 : 4, kRowBits = kTileBits - kColumnBits;

  /// Room for a tile in shared memory, and the place of word i there. In every view below, the
  /// places of 32 neighbouring threads are in 32 different banks. With 32 words held, one free word
  /// after each 32 ensures that. With 16 words held, two words are free after each 32, and in every
  /// second half of 32 neighbours are swapped.
  static constexpr unsigned kRoom = kWords + kWords / kHeld;
  static constexpr int kSwaps = kWarpBits - kHeldBits;
  static __host__ __device__ constexpr unsigned spread(unsigned i) {
    return i + (i >> kWarpBits << kSwaps);
  }
  static __host__ __device__ constexpr unsigned place(unsigned i) {
    return spread(i) ^ (i >> kHeldBits & below(kSwaps));
  }

  /// Which words of a tile a thread holds: their indices differ in the kHeldBits bits from
  /// kPosition on, and the thread's number gives the other bits. A mirrored view is for the first
  /// step of runs of 2^kRunBits words: the words in the upper half of a run are the mirror images
  /// of those in the lower half.
  template <int kPosition, int kRunBits = kPosition + kHeldBits>
  struct View {
    unsigned lower, upper;  // the bits that the thread's number gives

    __device__ explicit View(bool mirrored = false)
        : lower(threadIdx.x >> kPosition << (kPosition + kHeldBits) |
                (threadIdx.x & below(kPosition))),
          upper(mirrored ? lower ^ below(kPosition) : lower) {}

    __device__ unsigned own(unsigned held) const {
      return held >> (kRunBits - 1 - kPosition) & 1 ? upper : lower;
    }

    /// The place of word own(held) | held << kPosition, written so that it costs nothing: words
    /// that are swapped in the same way share one address and add constants to it.
    __device__ unsigned place_of(unsigned held) const {
      constexpr unsigned kSwapped = below(kSwaps), kSwapping = kSwapped << kHeldBits;
      const unsigned first = held & (kPosition == 0 ? kSwapped : kSwapping >> kPosition);
      const unsigned address = place(own(held) | first << kPosition) - spread(first << kPosition);
      return address + spread(held << kPosition);
    }
  };

  /// Exchanges the words between threads, from one view to another. Only the thread that has read a
  /// place writes there again, so one barrier in the middle is enough. If every warp keeps its own
  /// words in both views, it need not wait for other warps.
  template <int kFrom, int kTo, int kFromBits, int kToBits, typename Word>
  static __device__ void exchange(Word (&word)[kHeld], Word* tile,
                                  const View<kFrom, kFromBits>& from,
                                  const View<kTo, kToBits>& to) {
#pragma unroll
    for (unsigned i = 0; i < kHeld; ++i) tile[from.place_of(i)] = word[i];
    if constexpr (kFrom <= kWarpBits && kTo <= kWarpBits)
      __syncwarp();  // the warp's words are there
    else
      __syncthreads();  // all words are there
#pragma unroll
    for (unsigned i = 0; i < kHeld; ++i) word[i] = tile[to.place_of(i)];
  }

  /// Makes the steps of the bits below kRunBits, down to kLast. Before, the words are in the view
  /// of the highest of these bits; afterwards they are in View<kLast>.
  template <int kRunBits, int kLast, int kPosition, typename Word>
  static __device__ void merge_down(Word (&word)[kHeld], Word* tile,
                                    const View<kPosition, kRunBits>& view, bool mirrored) {
    merge_held<kRunBits - kPosition>(word, mirrored);
    if constexpr (kPosition > kLast) {
      constexpr int kNext = kPosition - kHeldBits > kLast ? kPosition - kHeldBits : kLast;
      const View<kNext, kPosition> next;
      exchange(word, tile, view, next);
      merge_down<kPosition, kLast>(word, tile, next, false);
    }
  }

  /// Sorts runs of 2^kRunBits words, 2^(kRunBits + 1) words and so on up to the tile, in View<0>.
  template <int kRunBits, typename Word>
  static __device__ void sort_up(Word (&word)[kHeld], Word* tile) {
    if constexpr (kRunBits <= kHeldBits) {
      merge_held<kRunBits>(word, true);
    } else {
      const View<kRunBits - kHeldBits, kRunBits> top(true);
      exchange(word, tile, View<0>(), top);
      merge_down<kRunBits, 0>(word, tile, top, true);
    }
    if constexpr (kRunBits < kTileBits) sort_up<kRunBits + 1>(word, tile);
  }

  /// The reach of a view of tile `number`, for tiles that are one piece of the array.
  template <typename Data, int kPosition, int kRunBits>
  static __device__ Reach<Data, kHeld> reach_of(const Data& data, unsigned n, unsigned number,
                                                const View<kPosition, kRunBits>& view) {
    const unsigned first = number * kWords + view.lower;
    return {data, n, first, first, 1u << kPosition};
  }

  using TopView = View<kTileBits - kHeldBits, kTileBits>;

  /// First pass: sorts every tile by itself, into View<0>. It does not matter which thread takes
  /// which words, because they are not sorted yet. From here to the last pass, keys are words.
  template <typename Data, typename Word = typename Data::Word>
  static __device__ void sort_tile(const Data& data, unsigned n, unsigned number,
                                   Word (&word)[kHeld], Word* tile) {
    reach_of(data, n, number, TopView()).template load<true>(word);
    sort_up<1>(word, tile);
  }

  /// Last pass of a size: makes all steps that stay inside a tile, into View<0>.
  template <typename Data, typename Word = typename Data::Word>
  static __device__ void merge_tile(const Data& data, unsigned n, unsigned number,
                                    Word (&word)[kHeld], Word* tile) {
    const TopView top;
    reach_of(data, n, number, top).load(word);
    merge_down<kTileBits, 0>(word, tile, top, false);
  }

  /// Empties the places that merge_tile has read: each thread clears those that it has read itself.
  template <typename Data>
  static __device__ void clear_tile(const Data& data, unsigned n, unsigned number) {
    const auto reach = reach_of(data, n, number, TopView());
    reach.for_each_existing([&](unsigned i) { data.clear(reach.index(i)); });
  }

  /// Stores the words of View<0>, through a view in which a warp holds rows of 32 words.
  template <typename Data, typename Word = typename Data::Word>
  static __device__ void store_tile(const Data& data, unsigned n, unsigned number,
                                    Word (&word)[kHeld], Word* tile) {
    const View<kWarpBits> coalesced;
    exchange(word, tile, View<0>(), coalesced);
    reach_of(data, n, number, coalesced).store(word);
  }

  /// If the steps of `left` bits remain, a pass between tiles makes the steps of the highest bits:
  /// of kHeldBits bits in registers alone if that is enough, otherwise of kRowBits bits in a tile
  /// of rows.
  static __host__ __device__ constexpr bool in_registers(int left) {
    return left - kTileBits <= kHeldBits;
  }
  static __host__ __device__ constexpr int left_after(int left) {
    return left - (in_registers(left) ? kHeldBits : kRowBits);
  }

  /// The steps of kRowBits bits from bit `lowest` on. The tile's 2^kRowBits rows are 2^lowest words
  /// apart. If `mirrored`, the upper half of the rows are from the tile's mirror image.
  template <typename Data, typename Word = typename Data::Word>
  static __device__ void merge_rows(const Data& data, unsigned n, unsigned number, Word* tile,
                                    int lowest, bool mirrored) {
    const unsigned row_tiles = 1u << (lowest - kColumnBits);  // side by side between two rows
    const unsigned beside = (number & (row_tiles - 1)) << kColumnBits;
    const unsigned base = (number & ~(row_tiles - 1)) << kTileBits;
    const unsigned mirror = mirrored ? below(lowest) & ~below(kColumnBits) : 0;
    const auto address = [&](unsigned k, bool upper_half) {
      return base + (k >> kColumnBits << lowest) + (beside ^ (upper_half ? mirror : 0)) +
             (k & below(kColumnBits));
    };
    constexpr int kTopRows = kRowBits - kHeldBits;  // held rows are 2^kTopRows rows apart
    const TopView top(mirrored);
    Word word[kHeld];
    Reach<Data, kHeld>{data, n, address(top.lower, false), address(top.upper, true),
                       1u << (kTopRows + lowest)}
        .load(word);
    merge_down<kTileBits, kColumnBits>(word, tile, top, mirrored);
    const View<kColumnBits> bottom;
    const unsigned first = address(bottom.lower, bottom.lower >> (kTileBits - 1));
    Reach<Data, kHeld>{data, n, first, first, 1u << lowest}.store(word);
  }
};

/// A block's shared memory; the launch says how large it is.
template <typename Word>
__device__ Word* shared_tile() {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  return reinterpret_cast<Word*>(shared_bytes);
}
template <typename Net, typename Data>
constexpr std::size_t kTileBytes = Net::kRoom * sizeof(typename Data::Word);

/// Turns words back into bits, after the last pass.
template <typename Data, unsigned kHeld>
__device__ void to_bits(typename Data::Word (&word)[kHeld]) {
#pragma unroll
  for (auto& held : word) held = Data::to_bits(held);
}

// Few keys: one launch. Its blocks wait for each other's words; larger arrays wait for the end of a
// launch. That costs 1 microsecond instead of 3, but all blocks must be on the chip at once.

template <typename Net, unsigned kOnEach, typename Between>
__global__ void __launch_bounds__(Net::kThreads, kOnEach)
    sort_at_once(Keys keys, unsigned n, Between between) {
  auto* const tile = shared_tile<unsigned>();
  const bool has_tile = blockIdx.x * Net::kWords < n;
  unsigned word[Net::kHeld];
  if (has_tile) Net::sort_tile(keys, n, blockIdx.x, word, tile);
  for (int bits = Net::kBits + 1; n > 1u << (bits - 1); ++bits) {
    const int apart = bits - Net::kBits;  // 2^apart tiles meet
    if (has_tile) Net::store_tile(between, n, blockIdx.x, word, tile);
    for (int left = bits; left > Net::kBits; left = Net::left_after(left)) {
      const int lowest = Net::left_after(left);
      between.begin_pass(apart);
      if (Net::in_registers(left))
        merge_column<Net::kStrides>(between, n, blockIdx.x * blockDim.x + threadIdx.x, lowest,
                                    left == bits);
      else
        Net::merge_rows(between, n, blockIdx.x, tile, lowest, left == bits);
    }
    between.begin_pass(apart);
    if (has_tile) Net::merge_tile(between, n, blockIdx.x, word, tile);
  }
  if (!has_tile) return;
  to_bits<Keys>(word);
  Net::store_tile(keys, n, blockIdx.x, word, tile);
  if (n > Net::kWords) Net::clear_tile(between, n, blockIdx.x);
}

/// The grid is as large as for a power of two: then it has a thread for every column. A single
/// block waits for no other block, and needs no cooperative launch.
template <typename Net, unsigned kOnEach, typename Between>
void launch_at_once(Keys keys, unsigned n, Between between) {
  constexpr std::size_t kBytes = kTileBytes<Net, Keys>;
  const unsigned blocks = std::bit_ceil(n) >> Net::kBits;
  if (blocks <= 1) {
    sort_at_once<Net, kOnEach><<<1, Net::kThreads, kBytes>>>(keys, n, between);
    return CUDA_CHECK_LAUNCH();
  }
  void* arguments[] = {&keys, &n, &between};
  CUDA_CHECK(
      cudaLaunchCooperativeKernel(reinterpret_cast<void*>(sort_at_once<Net, kOnEach, Between>),
                                  blocks, Net::kThreads, arguments, kBytes, nullptr));
}

// Many keys: a launch for each pass.

template <typename Net, typename Data>
__global__ void __launch_bounds__(Net::kThreads, Net::kAtOnce)
    sort_register_tiles(Data data, unsigned n, bool last) {
  kit::wait_for_kernel_before();
  auto* const tile = shared_tile<typename Data::Word>();
  typename Data::Word word[Net::kHeld];
  Net::sort_tile(data, n, blockIdx.x, word, tile);
  if (last) to_bits<Data>(word);
  Net::store_tile(data, n, blockIdx.x, word, tile);
}

template <typename Net, typename Data>
__global__ void __launch_bounds__(Net::kThreads, Net::kAtOnce)
    merge_register_tiles(Data data, unsigned n, bool last) {
  kit::wait_for_kernel_before();
  auto* const tile = shared_tile<typename Data::Word>();
  typename Data::Word word[Net::kHeld];
  Net::merge_tile(data, n, blockIdx.x, word, tile);
  if (last) to_bits<Data>(word);
  Net::store_tile(data, n, blockIdx.x, word, tile);
}

template <typename Net, typename Data>
__global__ void __launch_bounds__(Net::kThreads, Net::kAtOnce)
    merge_row_tiles(Data data, unsigned n, int lowest, bool mirrored) {
  kit::wait_for_kernel_before();
  Net::merge_rows(data, n, blockIdx.x, shared_tile<typename Data::Word>(), lowest, mirrored);
}

/// With two blocks per multiprocessor, a thread has registers for 32 words and their addresses.
template <int kStrides, typename Data>
__global__ void __launch_bounds__(kBlock, 2)
    merge_columns(Data data, unsigned n, int lowest, bool mirrored) {
  kit::wait_for_kernel_before();
  merge_column<kStrides>(data, n, blockIdx.x * blockDim.x + threadIdx.x, lowest, mirrored);
}

/// A part of the array that is sorted by itself, in the order of its stream.
template <typename Data>
struct Piece {
  Data data;
  unsigned n;
  cudaStream_t stream = nullptr;
};

/// A kernel gets more than 48 KB of shared memory only if the program has asked for it, once.
template <typename Net, typename Data>
void ask_for_shared_memory() {
  static const bool asked = [] {
    const auto ask = [](auto kernel) {
      constexpr auto kBytes = static_cast<int>(kTileBytes<Net, Data>);
      CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
    };
    ask(sort_register_tiles<Net, Data>);
    ask(merge_row_tiles<Net, Data>);
    return true;
  }();
  static_cast<void>(asked);
}

template <typename Net, typename Data>
void launch_between_tiles(const Piece<Data>& piece, int left, bool mirrored) {
  const int lowest = Net::left_after(left);
  const unsigned groups = kit::ceil_div(piece.n, 1u << left);  // of words that meet
  if (Net::in_registers(left))
    kit::launch_behind(piece.stream, merge_columns<Net::kStrides, Data>,
                       kit::ceil_div(groups << lowest, kBlock), kBlock, 0, piece.data, piece.n,
                       lowest, mirrored);
  else
    kit::launch_behind(piece.stream, merge_row_tiles<Net, Data>, groups << (left - Net::kBits),
                       Net::kThreads, kTileBytes<Net, Data>, piece.data, piece.n, lowest, mirrored);
}

/// Makes the steps of the lowest `left` bits. Launches each pass for all pieces before the next
/// pass.
template <typename Net, typename Data>
void merge_pieces(const std::vector<Piece<Data>>& pieces, int left, bool mirrored, bool last) {
  for (; left > Net::kBits; left = Net::left_after(left), mirrored = false)
    for (const auto& piece : pieces) launch_between_tiles<Net>(piece, left, mirrored);
  for (const auto& [data, n, stream] : pieces)
    kit::launch_behind(stream, merge_register_tiles<Net, Data>, kit::ceil_div(n, Net::kWords),
                       Net::kThreads, kTileBytes<Net, Data>, data, n, last);
}

/// Sorts pieces of at most 2^bits words: tiles of `First`, then merges with those of `Net`.
template <typename First, typename Net, typename Data>
void sort_pieces(const std::vector<Piece<Data>>& pieces, int bits, bool last) {
  for (const auto& [data, n, stream] : pieces)
    kit::launch_behind(stream, sort_register_tiles<First, Data>, kit::ceil_div(n, First::kWords),
                       First::kThreads, kTileBytes<First, Data>, data, n,
                       last && bits <= First::kBits);
  for (int size = First::kBits + 1; size <= bits; ++size)
    merge_pieces<Net>(pieces, size, true, last && size == bits);
}

/// Two pieces of up to `most` words, from word `first` on, each with its own stream: while one
/// kernel runs out of blocks, the next one, of the other piece, begins. The default stream waits
/// for both streams, and they wait for it. The streams are made once and kept. A device without
/// room for them still sorts, one piece after the other in the default stream.
template <typename Data>
std::vector<Piece<Data>> two_pieces(const Data& data, unsigned n, unsigned first, unsigned most) {
  static const std::array<cudaStream_t, 2> streams = [] {
    std::array<cudaStream_t, 2> made{};
    for (cudaStream_t& stream : made)
      if (cudaStreamCreate(&stream) != cudaSuccess) {
        cudaGetLastError();  // clears the error: the next check must not find it
        stream = nullptr;
      }
    return made;
  }();
  std::vector<Piece<Data>> pieces;
  for (const cudaStream_t stream : streams) {
    if (first < n) pieces.push_back({data.from(first), std::min(most, n - first), stream});
    first += most;
  }
  return pieces;
}

/// Sorts each half completely while the cache still holds it, then merges both. The cache holds two
/// pieces of 2^piece_bits words, each at least a tile. The first sort uses large tiles, which also
/// save passes over the whole array. Inside a piece, where a pass is short, more and smaller blocks
/// end at more nearly the same time.
template <typename Large, typename Small, typename Data>
void sort_by_halves(const Data& data, unsigned n, int piece_bits, bool last) {
  const int bits = std::bit_width(n - 1);
  if (bits <= piece_bits) return sort_pieces<Large, Small, Data>({{data, n}}, bits, last);
  const unsigned half = 1u << (bits - 1), piece = 1u << piece_bits;
  if (half == piece) {
    sort_pieces<Large, Small>(two_pieces(data, n, 0, piece), piece_bits, false);
  } else {
    sort_by_halves<Large, Small>(data, half, piece_bits, false);
    sort_by_halves<Large, Small>(data.from(half), n - half, piece_bits, false);
  }
  int left = bits;  // steps with strides that leave a piece cover the whole array
  for (; left > piece_bits; left = Large::left_after(left))
    launch_between_tiles<Large, Data>({data, n}, left, left == bits);
  for (unsigned first = 0; first < n; first += 2 * piece)
    merge_pieces<Small>(two_pieces(data, n, first, piece), left, false, last);
}

int ask_device(cudaDeviceAttr attribute) {
  int answer = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&answer, attribute, 0));
  return answer;
}

struct Gpu {
  int multiprocessors = ask_device(cudaDevAttrMultiProcessorCount);
  int cache_bytes = ask_device(cudaDevAttrL2CacheSize);
  int shared_bytes = ask_device(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  int cooperative = ask_device(cudaDevAttrCooperativeLaunch);
};

const Gpu& this_gpu() {
  static const Gpu gpu{};  // asked once
  return gpu;
}

/// Can the blocks for 2^k words wait for each other, with kOnEach of them on a multiprocessor? The
/// kernel's launch bounds ensure that every GPU has the registers for them. Up to tiles of 2^12
/// words every GPU also has the shared memory, 17 KB per block.
template <typename Net, unsigned kOnEach>
bool fit_at_once(std::size_t words) {
  static_assert(kOnEach <= std::min(Net::kAtOnce, 2u));
  const std::size_t blocks = words >> Net::kBits;
  const Gpu& gpu = this_gpu();
  return blocks <= 1 || (gpu.cooperative && blocks <= kit::kMostNeighbours &&
                         blocks <= kOnEach * gpu.multiprocessors);
}

/// Two pieces of 2^k words take two thirds of the cache, so that some is left. The contract counts
/// launches up to 2^16 keys: up to there no array is cut into pieces, however small the cache is.
int bits_of_piece(unsigned word_bytes) {
  const unsigned words = this_gpu().cache_bytes / 3 / word_bytes;
  return std::max(16, static_cast<int>(std::bit_width(words)) - 1);
}

using Smallest = Network<11, 4>;
using Small = Network<12, 4>;
using Medium = Network<13, 5>;
using Large = Network<14, 5>;

/// Returns false if it could not: with too many keys, or without memory for tagged words. The
/// number of keys decides the tile, by measurements: small tiles keep all multiprocessors busy,
/// large ones make fewer passes.
bool sort_in_one_launch(const Keys& keys, unsigned n) try {
  const std::size_t whole = std::bit_ceil(n);
  if (whole <= Small::kWords && whole > Smallest::kWords) {
    launch_at_once<Small, 2>(keys, n, MeetingKeys{keys});  // one block: two would wait
  } else if (whole <= kit::kMostTaggedWords && fit_at_once<Smallest, 1>(whole)) {
    const kit::TaggedWords words(n);
    launch_at_once<Smallest, 1>(keys, n, TaggedKeys{words.data()});
  } else if (fit_at_once<Small, 2>(whole)) {
    launch_at_once<Small, 2>(keys, n, MeetingKeys{keys});
  } else if (2 * static_cast<int>(kTileBytes<Medium, Keys>) <= this_gpu().shared_bytes &&
             fit_at_once<Medium, 2>(whole)) {
    launch_at_once<Medium, 2>(keys, n, MeetingKeys{keys});
  } else {
    return false;
  }
  return true;
} catch (const kit::CudaError& error) {
  if (error.code() != cudaErrorMemoryAllocation) throw;
  return false;
}

/// For more keys: sorts with large tiles if this device has enough shared memory.
void sort_in_registers(const Keys& keys, unsigned n) {
  if (sort_in_one_launch(keys, n)) return;
  const int piece_bits = bits_of_piece(sizeof(Keys::Word));
  const auto shared_bytes = static_cast<std::size_t>(this_gpu().shared_bytes);
  if (shared_bytes < kTileBytes<Large, Keys>)
    return sort_by_halves<Medium, Medium>(keys, n, piece_bits, true);
  ask_for_shared_memory<Large, Keys>();
  sort_by_halves<Large, Medium>(keys, n, piece_bits, true);
}

/// Words of 64 bits take two registers each: small tiles at every n, one launch per pass.
template <typename Data>
void sort_wide_in_registers(const Data& data, unsigned n) {
  sort_by_halves<Small, Small>(data, n, bits_of_piece(sizeof(typename Data::Word)), true);
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
  sort_wide_in_registers(Doubles{reinterpret_cast<Doubles::Word*>(keys)}, static_cast<unsigned>(n));
  return Result::sorted;
  // END STAGE 4
}

Result registers_pairs(float* keys, unsigned* values, std::size_t n) {
  // BEGIN STAGE 4 registers: check both pointers, then sort pairs (about 5 lines)
  // STUB: return Result::unfinished;
  if (const Result refusal = check(keys, n); refusal != Result::sorted || n == 0) return refusal;
  if (const Result refusal = check(values, n); refusal != Result::sorted) return refusal;
  sort_wide_in_registers(Pairs{reinterpret_cast<unsigned*>(keys), values},
                         static_cast<unsigned>(n));
  return Result::sorted;
  // END STAGE 4
}

}  // namespace bitonic
