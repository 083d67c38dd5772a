// Rank sort. The place of a key in the sorted array is its rank: how many keys belong before it.
// Every key's rank can be counted independently, so n threads count n ranks at the same time, each
// in O(n) steps, and each stores its key at the place it found. No thread waits for another.
//
// Every thread reads the whole array: n * n reads for n keys. They hit the caches, because all
// threads of a warp read the same word at the same moment (a broadcast), but each read is a
// separate instruction. The last stage reads tiles into shared memory, compares every word from
// there with several keys held in registers, and shares the comparisons for one key among many
// warps.
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

// BEGIN STAGE 3 stable: an order with NaN last, a kernel that breaks ties by index (about 20 lines)
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

// BEGIN STAGE 5 strings: compare two byte strings, then count ranks as before (about 35 lines)
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

// BEGIN STAGE 6 tiled: tiles of words in shared memory, several keys per thread (about 60 lines)
constexpr int kTileThreads = 256, kPerThread = 4;  // a block serves 64 keys; 16 threads share a key
constexpr int kSharers = 16, kServed = kTileThreads / kSharers * kPerThread;
constexpr int kTile = 1024;
constexpr int kNoKey = INT_MAX;  // a word after every key's: it is never counted

/// Maps floats to integers of the same order: -0 maps to the integer of 0, every NaN to one integer
/// above infinity's. One integer comparison then replaces isnan, isnan and <.
__device__ int ordered(float key) {
  if (isnan(key)) return 0x7FC00000;
  if (key == 0.0f) return 0;  // also -0
  const int bits = __float_as_int(key);
  return bits ^ ((bits >> 31) & 0x7FFFFFFF);
}

/// Thread t counts for four keys of its block, in every 16th quad of each tile.
__global__ void __launch_bounds__(kTileThreads) place_by_tiles(const float* in, float* out, int n) {
  __shared__ int4 tile[kTile / 4];
  __shared__ int rank[kServed];
  int* const word = reinterpret_cast<int*>(tile);
  const int t = threadIdx.x, first = blockIdx.x * kServed, sharer = t / (kServed / kPerThread);
  const int mine = t % (kServed / kPerThread);  // and every 16th of the block's keys after it
  int own[kPerThread], smaller[kPerThread] = {};
#pragma unroll
  for (int k = 0; k < kPerThread; ++k) {
    const int i = first + mine + k * (kServed / kPerThread);
    own[k] = i < n ? ordered(in[i]) : kNoKey;
  }
  if (t < kServed) rank[t] = 0;
  for (int start = 0; start < n; start += kTile) {
    __syncthreads();  // no thread reads the last tile any more
    for (int j = t; j < kTile; j += kTileThreads)
      word[j] = start + j < n ? ordered(in[start + j]) : kNoKey;
    __syncthreads();  // the tile is complete
    const bool has_own = start < first + kServed && first < start + kTile;
    for (int q = sharer; q < kTile / 4; q += kSharers) {
      const int4 others = tile[q];  // one read for 16 comparisons
      const int four[4] = {others.x, others.y, others.z, others.w};
#pragma unroll
      for (int k = 0; k < kPerThread; ++k) {
        const int i = first + mine + k * (kServed / kPerThread);
#pragma unroll
        for (int l = 0; l < 4; ++l) {
          const int j = start + 4 * q + l;
          // An equal key before mine also belongs before it. Only in the block's own tile does that
          // depend on the index; elsewhere the whole tile is before mine, or after it.
          const bool tie_before = has_own ? j < i : start < first;
          smaller[k] += four[l] < own[k] || (tie_before && four[l] == own[k]);
        }
      }
    }
  }
#pragma unroll
  for (int k = 0; k < kPerThread; ++k)
    atomicAdd(&rank[mine + k * (kServed / kPerThread)], smaller[k]);
  __syncthreads();  // all sharers have counted
  if (t < kServed && first + t < n) out[rank[t]] = in[first + t];
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
  // BEGIN STAGE 6 tiled: a block for every 64 keys (about 3 lines)
  if (n == 0) return;
  place_by_tiles<<<kit::ceil_div(n, kServed), kTileThreads>>>(in, out, n);
  CUDA_CHECK_LAUNCH();
  // END STAGE 6
}

}  // namespace rank_sort
