// The contract of lab 03: what each stage is called with and what it must leave behind.
//
// Every entry point sorts the n keys at a device pointer, in place, and answers with a result; it
// may return before its kernels have finished. Device memory that it takes it frees again.
//
// "In order" means IEEE 754's total order, with one change: a NaN with a sign bit stands not before
// all numbers but behind all others. So it goes -inf ... -0, +0 ... +inf, NaN, -NaN. Keys of the
// same bits are the same key; any two others have an order, and no bit may be lost or altered.
#pragma once

#include <cstddef>

#include "entry_points.hpp"

namespace bitonic {

enum class Result {
  unfinished,     // what the skeleton answers
  sorted,         // the keys are in order, or will be when the kernels have finished
  bad_length,     // n is more than kMostKeys or, in stage 1, no power of two
  null_pointer,   // a pointer is null and n is not 0
  host_pointer,   // a pointer does not point into device or managed memory, and n is not 0
  out_of_memory,  // the device has no memory for what the sort needs beside the keys
};
// With every result but `sorted`, all keys and values stand as they stood. n = 0 is sorted,
// whatever the pointer. A length that is refused is refused before any pointer is looked at.

/// The most keys that are sorted: the next power of two, and twice that, still fit 32-bit indices.
/// Bytes do not. A length is a size_t all the same: cut down to 32 bits, 2^32 + 8 reads 8.
inline constexpr std::size_t kMostKeys = std::size_t{1} << 30;

/// Stage 1. n is 0 or a power of two; the pointer is good.
Result global(float* keys, std::size_t n);

/// Stage 2. Any n, any pointer.
Result any_length(float* keys, std::size_t n);

/// Keys of a tile: consecutive keys, from a multiple of kTile on, that a block of stages 3 and 4
/// sorts or merges at once. More are fine.
inline constexpr std::size_t kTile = 1024;

/// Stage 3. As stage 2, with all steps that stay inside a tile in one launch: with L the number of
/// doublings from kTile to n, at most 1 + (2 + 3 + ... + (L + 1)) launches.
Result shared(float* keys, std::size_t n);

/// Stage 3. Sorts n pairs (keys[i], values[i]): by key, and those with the same key by value.
Result shared_pairs(float* keys, unsigned* values, std::size_t n);

/// Stage 4. As stage 3, fast: at least two strides in each pass over memory, so at most
/// 1 + (2 + 2 + 3 + 3 + 4 + 4 + ...) passes, L terms in the parentheses. Up to 2^16 keys there are
/// no more launches than that; a larger array may be sorted in pieces, with launches for each.
Result registers(float* keys, std::size_t n);
Result registers_doubles(double* keys, std::size_t n);
Result registers_pairs(float* keys, unsigned* values, std::size_t n);

WARPWISE_ENTRY_POINTS(global, any_length, shared, shared_pairs, registers, registers_doubles,
                      registers_pairs)

}  // namespace bitonic
