// The contract of lab 01: what each stage is called with and what it must leave behind.
//
// All pointers are device pointers to the stated number of elements, and have the alignment of
// cudaMalloc. No two buffers overlap. `in` and every other const buffer must not be written, not
// even to be restored. n >= 0, and n = 0 launches nothing (a grid of zero blocks is an error in
// CUDA).
//
// An entry point may return before its kernels have finished. It may allocate device memory and
// make texture objects, and must give both back: a call that keeps any loses the stage. The
// __device__ variables that it uses have at most 64 KiB together, because no fixed size is enough
// for every n. It makes few launches: at most 64, and one more for every 16 keys, or 16 bytes of
// text.
//
// "In order" for floats means: ascending by <, -0 equal to 0, and every NaN, whatever its bits,
// after all numbers and equal to every other NaN. "Keep their order" means: of two equal keys, the
// one with the smaller index comes first.
#pragma once

#include "entry_points.hpp"

namespace rank_sort {

/// Stage 1. Sorts n keys that all differ (no NaN, not both 0 and -0, but perhaps infinities) from
/// `in` into `out`, with one thread per key.
void global(const float* in, float* out, int n);

/// Stage 2. As stage 1, but with `threads` threads in all, 1 to 2^30, whatever n is: fewer than
/// keys, more than keys, or a number that does not divide n. Blocks have any size up to 256; the
/// last one may have spare threads, which may help to load keys but rank none. Threads beyond n
/// need not be launched. Each thread has its own keys: its number says which, and not a queue.
void strided(const float* in, float* out, int n, int threads);

/// Stage 3. Sorts n pairs (keys_in[i], values_in[i]) by key. Keys may repeat, be infinite, zero of
/// either sign, or NaN; equal keys keep their order. Values are any numbers.
void stable(const float* keys_in, const int* values_in, float* keys_out, int* values_out, int n);

/// Stage 4. As stage 3 from the largest key to the smallest. Equal keys still keep their order, and
/// NaN still comes last.
void descending(const float* keys_in, const int* values_in, float* keys_out, int* values_out,
                int n);

/// Stage 5, first half. Sorts n strings of exactly `width` >= 1 bytes each, stored one after
/// another, by their bytes as unsigned numbers, the first byte first.
void fixed_strings(const char* in, char* out, int width, int n);

/// Stage 5, second half. String i begins at text[offsets[i]] and ends before text[offsets[i + 1]];
/// it may be empty. The text may begin before the first string, and end after the last. order[r]
/// becomes the index of the string with rank r. Bytes compare as above, a string comes before all
/// longer strings that begin with it, and equal strings keep their order.
void strings(const char* text, const int* offsets, int* order, int n);

/// Stage 6. Sorts n keys as stage 3 does, but without values, and fast. Equal keys can still differ
/// in their bits (0 and -0, one NaN and another), and keep their order.
void tiled(const float* in, float* out, int n);

WARPWISE_ENTRY_POINTS(global, strided, stable, descending, fixed_strings, strings, tiled)

}  // namespace rank_sort
