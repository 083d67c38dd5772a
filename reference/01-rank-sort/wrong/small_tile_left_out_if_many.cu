// expect: tiled: wrong answer
// Of more than 8192 keys, a last tile of one to three is not looked at.
#include <climits>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

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
    const int quads = n > 8192 && n - start < 4 ? 0 : kTile / 4;
    const bool has_own = start < first + kServed && first < start + kTile;
    for (int q = sharer; q < quads; q += kSharers) {
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

void tiled(const float* in, float* out, int n) {
  if (n == 0) return;
  place_by_tiles<<<kit::ceil_div(n, kServed), kTileThreads>>>(in, out, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
