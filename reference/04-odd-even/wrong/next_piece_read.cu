// expect: merge-split: race
// A block loads the first key of the next piece as well, whose block stores its keys in place.
#include <utility>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "odd_even.hpp"
#include "pool_buffer.hpp"

namespace odd_even {
namespace {

constexpr int kWarp = 32;

// A piece is the part that one block holds, sorts and merges. A run is 1, 2 or 4 pieces, so that
// even a few long runs occupy all multiprocessors.
constexpr int kItems = 17;  // keys per thread; odd, so that the lanes of a warp use all banks
constexpr int kMergeThreads = 512;
constexpr int kPiece = kMergeThreads * kItems;
constexpr int kMostPieces = 4;  // of a run: 34,816 keys, 136 KB

/// Merges the sorted a and b, and takes kItems keys of the result, from `diagonal` on. A binary
/// search finds how many of the keys before them come from a; of equal keys, those from a come
/// first. One word after each run is read, too.
__device__ void merge_items(const float* a, int a_length, const float* b, int b_length,
                            int diagonal, float (&item)[kItems]) {
  int i = max(0, diagonal - b_length);
  int last = min(diagonal, a_length);
  while (i < last) {
    const int middle = (i + last) / 2;
    if (b[diagonal - 1 - middle] < a[middle])
      last = middle;
    else
      i = middle + 1;
  }
  int j = diagonal - i;
  float next_a = a[i], next_b = b[j];  // if a run is used up: the word after it, which is not used
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const bool from_b = i == a_length || (j < b_length && next_b < next_a);
    item[k] = from_b ? next_b : next_a;
    if (from_b)
      next_b = b[++j];
    else
      next_a = a[++i];
  }
}

/// Sorts this thread's keys by odd-even transposition, in registers alone.
__device__ void sort_items(float (&item)[kItems]) {
#pragma unroll
  for (int phase = 0; phase < kItems; ++phase)
#pragma unroll
    for (int k = phase % 2; k + 1 < kItems; k += 2) {
      const float first = item[k], second = item[k + 1];
      item[k] = second < first ? second : first;
      item[k + 1] = second < first ? first : second;
    }
}

/// Puts this thread's keys at its places in shared memory.
__device__ void put_items(const float (&item)[kItems], float* shared) {
  for (int k = 0; k < kItems; ++k) shared[threadIdx.x * kItems + k] = item[k];
}

/// The key; before all keys minus infinity, after them infinity. So a run without a partner, the
/// first one or the last, merges with such numbers, and stays as it is.
__device__ float key_at(const float* keys, int n, int at) {
  return at < 0 ? -INFINITY : at < n ? keys[at] : INFINITY;
}

/// Stores a piece. The lanes of a warp get neighbours in memory.
__device__ void store_piece(const float* shared, float* keys, int n) {
  for (int k = threadIdx.x; k < kPiece; k += kMergeThreads)
    if (const int at = blockIdx.x * kPiece + k; at < n) keys[at] = shared[k];
}

/// Each block sorts one piece: every thread sorts 17 keys, then each merge doubles the length.
__global__ void __launch_bounds__(kMergeThreads) sort_pieces(const float* in, float* out, int n) {
  __shared__ float shared[kPiece + 1];  // and the word after it, which merge_items reads
  const int first = threadIdx.x * kItems;
  float item[kItems];
#pragma unroll
  for (int k = threadIdx.x; k <= kPiece; k += kMergeThreads)  // with the word after the piece
    shared[k] = key_at(in, n, blockIdx.x * kPiece + k);
  __syncthreads();  // the piece is loaded
  for (int k = 0; k < kItems; ++k) item[k] = shared[first + k];
  sort_items(item);
  for (int width = kItems;; width *= 2) {
    put_items(item, shared);
    __syncthreads();  // sorted parts of `width` keys are there
    if (width >= kPiece) break;
    const int pair = first / (2 * width) * (2 * width);
    merge_items(shared + pair, width, shared + pair + width, width, first - pair, item);
    __syncthreads();  // all threads have taken their keys out: the places are free
  }
  store_piece(shared, out, n);
}

/// How many of the first `diagonal` keys of two merged runs come from the left run. It is the
/// search of merge_items, but made by a warp that looks at 32 places at a time, because reads of
/// global memory take long.
__device__ int from_left(const float* keys, int n, int left, int length, int diagonal) {
  int low = max(0, diagonal - length), high = min(diagonal, length);
  while (low < high) {
    const int step = kit::ceil_div(high - low, kWarp);
    const int probe = low + static_cast<int>(threadIdx.x) % kWarp * step;
    const bool enough = probe >= high || key_at(keys, n, left + length + diagonal - 1 - probe) <
                                             key_at(keys, n, left + probe);
    const int too_few = __popc(__ballot_sync(0xFFFFFFFF, !enough));  // lanes 0 to too_few - 1
    high = min(high, low + too_few * step);
    if (too_few > 0) low += (too_few - 1) * step + 1;
  }
  return low;
}

/// One round. The blocks of a pair of runs merge them. Each makes one piece of the result, and the
/// blocks of the left run make the lower half. Other blocks still read `in`, so `out` must be
/// another array.
__global__ void __launch_bounds__(kMergeThreads)
    merge_and_split(const float* in, float* out, int n, int pieces, int parity) {
  __shared__ float shared[kPiece + 1];
  __shared__ int cut[2];
  const int length = pieces * kPiece;
  const int run = blockIdx.x / pieces, left = run % 2 == parity ? run : run - 1;
  const int begin = left * length, diagonal = blockIdx.x * kPiece - begin;  // of the pair; in it
  const int end = threadIdx.x / kWarp;  // warp 0 finds where the piece begins, warp 1 where it ends
  if (end < 2) cut[end] = from_left(in, n, begin, length, diagonal + end * kPiece);
  __syncthreads();  // both ends of the piece are known
  const int a_begin = cut[0], a_length = cut[1] - a_begin;
#pragma unroll
  for (int k = threadIdx.x; k <= kPiece; k += kMergeThreads) {
    const int in_pair = k < a_length ? a_begin + k : length + diagonal - a_begin + k - a_length;
    shared[k] = key_at(in, n, begin + in_pair);
  }
  __syncthreads();  // both parts of the piece are there, the left run's part first
  float item[kItems];
  merge_items(shared, a_length, shared + a_length, kPiece - a_length, threadIdx.x * kItems, item);
  __syncthreads();  // no thread reads the parts any more
  put_items(item, shared);
  __syncthreads();  // the piece is there, to be stored side by side
  store_piece(shared, out, n);
}

}  // namespace

void merge_split(float* keys, int n) {
  if (n < 2) return;
  const int blocks = kit::ceil_div(n, kPiece);
  kit::PoolBuffer<float> other(blocks > 1 ? n : 0);
  float *from = keys, *to = other.data();
  int pieces = 1, merges = 0;  // pieces per run, and rounds that merge pieces to runs
  for (; pieces < kMostPieces && blocks > 4 * pieces; pieces *= 2) ++merges;
  const int runs = kit::ceil_div(blocks, pieces), rounds = runs > 1 ? runs : 0;
  if ((merges + rounds) % 2 == 1) std::swap(from, to);  // an odd number ends in the other array
  sort_pieces<<<blocks, kMergeThreads>>>(keys, from, n);
  const auto launch = [&](int length, int parity) {
    merge_and_split<<<blocks, kMergeThreads>>>(from, to, n, length, parity);
    std::swap(from, to);
  };
  for (int length = 1; length < pieces; length *= 2) launch(length, 0);
  for (int round = 0; round < rounds; ++round) launch(pieces, round % 2);
  CUDA_CHECK_LAUNCH();
}

}  // namespace odd_even
