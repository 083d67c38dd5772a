// Rank sort. The place of a key in the sorted array is its rank: how many keys belong before it.
// Every key's rank can be counted on its own, so n threads count n ranks at the same time, each in
// O(n) steps, and each stores its key at the place it found. No thread waits for another.
//
// The whole array is read by every thread: n * n reads for n keys. They hit the caches, since all
// threads of a warp read the same word at the same moment (a broadcast), but each is an instruction
// of its own. The last stage reads a tile once into shared memory and compares every word it takes
// from there with several keys held in registers.
#include "rank_sort.hpp"

#include <algorithm>
#include <cstddef>

#include "ceil_div.hpp"
#include "cuda_check.hpp"

namespace rank_sort {
namespace {

// Threads of a block. A multiple of the warp's 32; 256 lets every current GPU fill its
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
  // A thread's keys lie `threads` apart, not side by side: neighbours in a warp then read
  // neighbours in memory, and no division has a remainder to lose.
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
/// Below zero, zero or above zero as string a belongs before, beside or behind string b.
__device__ int compare_bytes(const char* a, int a_length, const char* b, int b_length) {
  const int common = a_length < b_length ? a_length : b_length;
  for (int k = 0; k < common; ++k) {
    // char is signed on some machines; bytes from 0x80 on would come first there.
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
  order[rank] = i;  // strings do not move: an index is smaller, and always of one size
}
// END STAGE 5

// ---- stage 6: tiled -----------------------------------------------------------------------------

// BEGIN STAGE 6 tiled: ranks from shared-memory tiles, several keys per thread (about 65 lines)
// Half of kBlock: the fewer keys a block serves, the more blocks there are for a small array.
constexpr int kTiledBlock = 128;

/// Maps floats to integers of the same order: -0 to the same as 0, every NaN to the largest. One
/// integer comparison then does what isnan, isnan and < did.
__device__ unsigned ordered(float key) {
  if (isnan(key)) return 0xFFFFFFFFu;
  if (key == 0.0f) key = 0.0f;  // -0 == 0, and what is stored now is 0
  const unsigned bits = __float_as_uint(key);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/// Counts, for each of this thread's keys, the keys of one tile that belong before it. All keys of
/// the tile lie before this block's own keys in the array (kBefore: a tie belongs before) or behind.
template <int kPerThread, bool kBefore>
__device__ void count_tile(const uint4* tile, const unsigned (&mine)[kPerThread],
                           int (&rank)[kPerThread]) {
  for (int q = 0; q < kTiledBlock * kPerThread / 4; ++q) {
    const uint4 others = tile[q];  // the same address in all lanes: one 16-byte broadcast
    const unsigned four[4] = {others.x, others.y, others.z, others.w};
#pragma unroll
    for (int k = 0; k < kPerThread; ++k)
#pragma unroll
      for (const unsigned other : four)
        rank[k] += kBefore ? other <= mine[k] : other < mine[k];
  }
}

/// A block serves kTiledBlock * kPerThread keys, and takes tiles of the same size; so exactly one
/// tile holds the block's own keys, and only there an index decides a tie.
template <int kPerThread>
__global__ void place_by_tiles(const float* in, float* out, int n) {
  constexpr int kTile = kTiledBlock * kPerThread;
  __shared__ uint4 tile[kTile / 4];
  unsigned* const words = reinterpret_cast<unsigned*>(tile);

  const int first = blockIdx.x * kTile;
  float key[kPerThread];
  unsigned mine[kPerThread];
  int rank[kPerThread] = {};
  for (int k = 0; k < kPerThread; ++k) {
    const int i = first + k * kTiledBlock + threadIdx.x;
    key[k] = i < n ? in[i] : 0.0f;
    mine[k] = ordered(key[k]);
  }
  for (int start = 0; start < n; start += kTile) {
    __syncthreads();  // nobody reads the last tile any more
    for (int k = threadIdx.x; k < kTile; k += kTiledBlock)
      // What fills the last tile lies behind all keys and is the largest word: `<` never counts it.
      words[k] = start + k < n ? ordered(in[start + k]) : 0xFFFFFFFFu;
    __syncthreads();  // the new tile stands
    if (start < first) {
      count_tile<kPerThread, true>(tile, mine, rank);
    } else if (start > first) {
      count_tile<kPerThread, false>(tile, mine, rank);
    } else {
      for (int j = 0; j < kTile; ++j)
        for (int k = 0; k < kPerThread; ++k)
          rank[k] += words[j] < mine[k] ||
                     (words[j] == mine[k] && j < k * kTiledBlock + static_cast<int>(threadIdx.x));
    }
  }
  for (int k = 0; k < kPerThread; ++k)
    if (first + k * kTiledBlock + static_cast<int>(threadIdx.x) < n) out[rank[k]] = key[k];
}

template <int kPerThread>
void launch_tiles(const float* in, float* out, int n) {
  place_by_tiles<kPerThread><<<kit::ceil_div(n, kTiledBlock * kPerThread), kTiledBlock>>>(in, out, n);
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
  // BEGIN STAGE 6 tiled: more keys per thread as long as every multiprocessor has work (about 10 lines)
  if (n == 0) return;
  int multiprocessors = 1;
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  const auto blocks = [&](int per_thread) { return kit::ceil_div(n, kTiledBlock * per_thread); };
  if (blocks(8) >= 2 * multiprocessors) {
    launch_tiles<8>(in, out, n);
  } else if (blocks(4) >= 2 * multiprocessors) {
    launch_tiles<4>(in, out, n);
  } else if (blocks(2) >= 2 * multiprocessors) {
    launch_tiles<2>(in, out, n);
  } else {
    launch_tiles<1>(in, out, n);
  }
  CUDA_CHECK_LAUNCH();
  // END STAGE 6
}

}  // namespace rank_sort
