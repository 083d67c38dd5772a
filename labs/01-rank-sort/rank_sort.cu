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
  // TODO: your code
  // END STAGE 1
}

// ---- stage 2: strided ---------------------------------------------------------------------------

__global__ void place_by_rank_strided(const float* in, float* out, int n, int threads) {
  // BEGIN STAGE 2 strided: serve keys t, t + threads, t + 2 threads ... up to n (about 8 lines)
  // TODO: your code
  // END STAGE 2
}

// ---- stages 3 and 4: stable, descending ---------------------------------------------------------

// BEGIN STAGE 3 stable: an order with NaN last, a kernel that breaks ties by index (about 20 lines)
// TODO: your code
// END STAGE 3

// BEGIN STAGE 4 descending: the same kernel under another order (about 4 lines)
// TODO: your code
// END STAGE 4

// ---- stage 5: strings ---------------------------------------------------------------------------

// BEGIN STAGE 5 strings: compare two byte strings, then count ranks as before (about 35 lines)
// TODO: your code
// END STAGE 5

// ---- stage 6: tiled -----------------------------------------------------------------------------

// BEGIN STAGE 6 tiled: tiles of words in shared memory, several keys per thread (about 60 lines)
// TODO: your code
// END STAGE 6

}  // namespace

// ---- entry points -------------------------------------------------------------------------------

void global(const float* in, float* out, int n) {
  // BEGIN STAGE 1 global: launch one thread for every key (about 3 lines)
  // TODO: your code
  // END STAGE 1
}

void strided(const float* in, float* out, int n, int threads) {
  // BEGIN STAGE 2 strided: launch as many threads as granted (about 3 lines)
  // TODO: your code
  // END STAGE 2
}

void stable(const float* keys_in, const int* values_in, float* keys_out, int* values_out, int n) {
  // BEGIN STAGE 3 stable: launch (about 4 lines)
  // TODO: your code
  // END STAGE 3
}

void descending(const float* keys_in, const int* values_in, float* keys_out, int* values_out,
                int n) {
  // BEGIN STAGE 4 descending: launch (about 4 lines)
  // TODO: your code
  // END STAGE 4
}

void fixed_strings(const char* in, char* out, int width, int n) {
  // BEGIN STAGE 5 strings: launch the sort of fixed-width strings (about 3 lines)
  // TODO: your code
  // END STAGE 5
}

void strings(const char* text, const int* offsets, int* order, int n) {
  // BEGIN STAGE 5 strings: launch the index sort (about 3 lines)
  // TODO: your code
  // END STAGE 5
}

void tiled(const float* in, float* out, int n) {
  // BEGIN STAGE 6 tiled: a block for every 64 keys (about 3 lines)
  // TODO: your code
  // END STAGE 6
}

}  // namespace rank_sort
