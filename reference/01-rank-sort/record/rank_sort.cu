// Rank sort. The place of a key in the sorted array is its rank: how many keys belong before it.
// Every key's rank can be counted independently, so n threads count n ranks at the same time, each
// in O(n) steps, and each stores its key at the place it found. No thread waits for another.
//
// Every thread reads the whole array: n * n reads for n keys. They hit the caches, because all
// threads of a warp read the same word at the same moment (a broadcast), but each read is a
// separate instruction. The last stage reads tiles into shared memory, compares every word from
// there with several keys held in registers, and shares the comparisons for one key among many
// warps.
#include <algorithm>
#include <climits>
#include <cstddef>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {
namespace {

// Threads per block: a multiple of the 32 lanes of a warp. With 256, every current GPU can fill its
// multiprocessors with whole blocks.
constexpr int kBlock = 256;

// ---- stage 1: global ----------------------------------------------------------------------------

__global__ void place_by_rank(const float* in, float* out, int n) {
  // BEGIN STAGE 1 global: count the keys smaller than this thread's, store it there (about 6 lines)
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;  // the last block is seldom full
  const float mine = in[i];
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += in[j] < mine;
  out[rank] = mine;  // no barrier before this: `in` is never written, `out` never read
  // END STAGE 1
}

// ---- stage 2: strided ---------------------------------------------------------------------------

__global__ void place_by_rank_strided(const float* in, float* out, int n, int threads) {
  // BEGIN STAGE 2 strided: serve keys t, t + threads, t + 2 threads ... up to n (about 8 lines)
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  // A thread's keys lie `threads` apart, not side by side. So neighbours in a warp read neighbours
  // in memory, and there is no division that could lose a remainder.
  for (int i = t; i < n; i += threads) {
    const float mine = in[i];
    int rank = 0;
    for (int j = 0; j < n; ++j) rank += in[j] < mine;
    out[rank] = mine;
  }
  // END STAGE 2
}

// ---- stages 3 and 4: stable, descending ---------------------------------------------------------

// BEGIN STAGE 3 stable: an order with NaN last, a kernel that breaks ties by index (about 25 lines)
struct Ascending {
  // NaN < x and x < NaN are both false, so a rank counted by < alone would put NaN first.
  static __device__ bool before(float a, float b) { return isnan(b) ? !isnan(a) : a < b; }
};

template <typename Order>
__global__ void place_pairs(const float* keys_in, const int* values_in, float* keys_out,
                            int* values_out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float mine = keys_in[i];
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const float other = keys_in[j];
    const bool tie = !Order::before(other, mine) && !Order::before(mine, other);
    // Equal keys must not get equal ranks: two threads would store to one place.
    rank += Order::before(other, mine) || (tie && j < i);
  }
  keys_out[rank] = mine;
  values_out[rank] = values_in[i];
}
// END STAGE 3

// BEGIN STAGE 4 descending: the same kernel under another order (about 4 lines)
struct Descending {
  static __device__ bool before(float a, float b) { return isnan(b) ? !isnan(a) : a > b; }
};
// END STAGE 4

// ---- stage 5: strings ---------------------------------------------------------------------------

// BEGIN STAGE 5 strings: compare two byte strings, then count ranks as before (about 40 lines)
/// Below zero if string a belongs before string b, zero if they are equal, otherwise above zero.
__device__ int compare_bytes(const char* a, int a_length, const char* b, int b_length) {
  const int common = a_length < b_length ? a_length : b_length;
  for (int k = 0; k < common; ++k) {
    // On some machines char is signed; there bytes from 0x80 on would come first.
    const int difference = static_cast<unsigned char>(a[k]) - static_cast<unsigned char>(b[k]);
    if (difference != 0) return difference;
  }
  return a_length - b_length;
}

__global__ void place_fixed_strings(const char* in, char* out, int width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const char* mine = in + static_cast<std::size_t>(i) * width;
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const char* other = in + static_cast<std::size_t>(j) * width;
    const int order = compare_bytes(other, width, mine, width);
    rank += order < 0 || (order == 0 && j < i);
  }
  for (int k = 0; k < width; ++k) out[static_cast<std::size_t>(rank) * width + k] = mine[k];
}

__global__ void rank_strings(const char* text, const int* offsets, int* order, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const char* mine = text + offsets[i];
  const int length = offsets[i + 1] - offsets[i];
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const int difference =
        compare_bytes(text + offsets[j], offsets[j + 1] - offsets[j], mine, length);
    rank += difference < 0 || (difference == 0 && j < i);
  }
  order[rank] = i;  // strings do not move: an index is smaller, and all indices have one size
}
// END STAGE 5

// ---- stage 6: tiled -----------------------------------------------------------------------------

// BEGIN STAGE 6 tiled: every warp counts through its own tiles, several keys per lane (about 120 lines)
constexpr int kWarp = 32;
constexpr int kTileWarps = 16;
constexpr int kNoKey = -INT_MAX;  // a word below every key's

/// Maps floats to integers of the same order: -0 maps to the integer of 0, every NaN to one integer
/// above infinity's. One integer comparison then replaces isnan, isnan and <.
__device__ int ordered(float key) {
  if (isnan(key)) return 0x7FC00000;
  if (key == 0.0f) return 0;  // also -0
  const int bits = __float_as_int(key);
  return bits ^ ((bits >> 31) & 0x7FFFFFFF);
}

/// The words of a tile, in two lists: words below zero, and the others. The difference of two words
/// of one sign never overflows. Each list is filled up to whole quads.
template <int kPerLane>
struct Tile {
  static constexpr int kWords = kWarp * kPerLane;
  int4 below[kWords / 4 + 1], above[kWords / 4 + 1];
};

/// Puts the tile's words into their lists. Returns how many are below zero. All lanes of the warp
/// must call it.
template <int kPerLane>
__device__ int fill_tile(const float* in, int n, int start, Tile<kPerLane>& tile) {
  int* const below = reinterpret_cast<int*>(tile.below);
  int* const above = reinterpret_cast<int*>(tile.above);
  const int lane = threadIdx.x % kWarp;
  int word[kPerLane];
#pragma unroll
  for (int k = 0; k < kPerLane; ++k) {
    const int j = start + k * kWarp + lane;
    word[k] = j < n ? ordered(in[j]) : kNoKey;
  }
  __syncwarp();  // no lane reads the last tile any more
  int negative = 0;
#pragma unroll
  for (int k = 0; k < kPerLane; ++k) {
    const unsigned signs = __ballot_sync(0xFFFFFFFF, word[k] < 0);
    const int at = negative + __popc(signs & ((1u << lane) - 1));
    if (word[k] < 0) below[at] = word[k];
    if (word[k] >= 0) above[k * kWarp + lane - at] = word[k];
    negative += __popc(signs);
  }
  if (lane < 3) {  // the words that fill a list up are never counted: see count_behind
    below[negative + lane] = kNoKey;
    above[Tile<kPerLane>::kWords - negative + lane] = -1;
  }
  __syncwarp();  // the new tile is complete
  return negative;
}

/// For each of this lane's keys, counts the words of a list that are above its bound. No difference
/// overflows, so `word > bound` is the sign bit of bound - word. That takes a subtraction, then one
/// instruction that shifts and adds. The two run on different units of a multiprocessor.
template <int kPerLane>
__device__ void count_behind(const int4* list, int words, const int (&bound)[kPerLane],
                             int (&behind)[kPerLane]) {
#pragma unroll 4
  for (int q = 0; q < kit::ceil_div(words, 4); ++q) {
    const int4 others = list[q];  // the same address in all lanes: one 16-byte broadcast
    const int four[4] = {others.x, others.y, others.z, others.w};
#pragma unroll
    for (int k = 0; k < kPerLane; ++k)
#pragma unroll
      for (const int other : four) behind[k] += static_cast<unsigned>(bound[k] - other) >> 31;
  }
}

/// Counts in all other tiles; every warp takes each 16th tile.
template <int kPerLane>
__device__ void count_in_other_tiles(const float* in, int n, int warp, Tile<kPerLane>& tile,
                                     const int (&mine)[kPerLane], int (&behind)[kPerLane]) {
  constexpr int kTile = Tile<kPerLane>::kWords;
  const int block = blockIdx.x;
  for (int t = warp; t < kit::ceil_div(n, kTile); t += kTileWarps) {
    if (t == block) continue;
    const int negative = fill_tile(in, n, t * kTile, tile);
    // An equal key after mine in the array also belongs after it; `>= mine` is `> mine - 1`.
    const int tie = t > block;
    int bound[kPerLane];
    // In the list of the other sign either every word is above mine, or no word is. The same holds
    // for -1, so -1 is the bound there.
#pragma unroll
    for (int k = 0; k < kPerLane; ++k) bound[k] = min(mine[k] - tie, -1);
    count_behind(tile.below, negative, bound, behind);
#pragma unroll
    for (int k = 0; k < kPerLane; ++k) bound[k] = max(mine[k] - tie, -1);
    count_behind(tile.above, kTile - negative, bound, behind);
  }
}

/// A block serves as many keys as a tile has. Each of its warps counts for all of these keys, in a
/// part of the tiles. The number of keys that belong after a key gives its place.
template <int kPerLane>
__global__ void __launch_bounds__(kTileWarps* kWarp)
    place_by_tiles(const float* in, float* out, int n) {
  constexpr int kTile = Tile<kPerLane>::kWords;
  static_assert(kTile <= kTileWarps * kWarp, "a thread loads and stores at most one key");
  __shared__ Tile<kPerLane> tiles[kTileWarps];
  __shared__ int own[kTile], total[kTile];
  const int thread = threadIdx.x, lane = thread % kWarp, warp = thread / kWarp;
  const int i = blockIdx.x * kTile + thread;
  const float key = thread < kTile && i < n ? in[i] : 0.0f;
  if (thread < kTile) {
    own[thread] = i < n ? ordered(key) : kNoKey;
    total[thread] = 0;
  }
  __syncthreads();  // the block's own words are there, and all sums are 0

  int mine[kPerLane], behind[kPerLane] = {};
#pragma unroll
  for (int k = 0; k < kPerLane; ++k) mine[k] = own[k * kWarp + lane];
  // An index decides a tie only among the block's own keys; every warp takes a part of them.
  for (int j = warp; j < kTile; j += kTileWarps)
#pragma unroll
    for (int k = 0; k < kPerLane; ++k)
      behind[k] += own[j] > mine[k] || (own[j] == mine[k] && j > k * kWarp + lane);
  count_in_other_tiles(in, n, warp, tiles[warp], mine, behind);
#pragma unroll
  for (int k = 0; k < kPerLane; ++k) atomicAdd(&total[k * kWarp + lane], behind[k]);
  __syncthreads();  // all warps have counted
  if (thread < kTile && i < n) out[n - 1 - total[thread]] = key;
}

template <int kPerLane>
void launch_tiles(const float* in, float* out, int n) {
  place_by_tiles<kPerLane>
      <<<kit::ceil_div(n, Tile<kPerLane>::kWords), kTileWarps * kWarp>>>(in, out, n);
}
// END STAGE 6

}  // namespace

// ---- entry points -------------------------------------------------------------------------------

void global(const float* in, float* out, int n) {
  // BEGIN STAGE 1 global: launch one thread for every key (about 3 lines)
  if (n == 0) return;
  place_by_rank<<<kit::ceil_div(n, kBlock), kBlock>>>(in, out, n);
  CUDA_CHECK_LAUNCH();
  // END STAGE 1
}

void strided(const float* in, float* out, int n, int threads) {
  // BEGIN STAGE 2 strided: launch as many threads as granted (about 3 lines)
  if (n == 0) return;
  place_by_rank_strided<<<kit::ceil_div(threads, kBlock), kBlock>>>(in, out, n, threads);
  CUDA_CHECK_LAUNCH();
  // END STAGE 2
}

void stable(const float* keys_in, const int* values_in, float* keys_out, int* values_out, int n) {
  // BEGIN STAGE 3 stable: launch (about 4 lines)
  if (n == 0) return;
  place_pairs<Ascending>
      <<<kit::ceil_div(n, kBlock), kBlock>>>(keys_in, values_in, keys_out, values_out, n);
  CUDA_CHECK_LAUNCH();
  // END STAGE 3
}

void descending(const float* keys_in, const int* values_in, float* keys_out, int* values_out,
                int n) {
  // BEGIN STAGE 4 descending: launch (about 4 lines)
  if (n == 0) return;
  place_pairs<Descending>
      <<<kit::ceil_div(n, kBlock), kBlock>>>(keys_in, values_in, keys_out, values_out, n);
  CUDA_CHECK_LAUNCH();
  // END STAGE 4
}

void fixed_strings(const char* in, char* out, int width, int n) {
  // BEGIN STAGE 5 strings: launch the sort of fixed-width strings (about 3 lines)
  if (n == 0) return;
  place_fixed_strings<<<kit::ceil_div(n, kBlock), kBlock>>>(in, out, width, n);
  CUDA_CHECK_LAUNCH();
  // END STAGE 5
}

void strings(const char* text, const int* offsets, int* order, int n) {
  // BEGIN STAGE 5 strings: launch the index sort (about 3 lines)
  if (n == 0) return;
  rank_strings<<<kit::ceil_div(n, kBlock), kBlock>>>(text, offsets, order, n);
  CUDA_CHECK_LAUNCH();
  // END STAGE 5
}

void tiled(const float* in, float* out, int n) {
  // BEGIN STAGE 6 tiled: more keys per lane as long as every multiprocessor has a block (about 15 lines)
  if (n == 0) return;
  int multiprocessors = 1;
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  const auto fill = [&](int per_lane) { return n / (kWarp * per_lane) >= multiprocessors; };
  if (fill(8)) {
    launch_tiles<8>(in, out, n);
  } else if (fill(4)) {
    launch_tiles<4>(in, out, n);
  } else if (fill(2)) {
    launch_tiles<2>(in, out, n);
  } else {
    launch_tiles<1>(in, out, n);
  }
  CUDA_CHECK_LAUNCH();
  // END STAGE 6
}

}  // namespace rank_sort
