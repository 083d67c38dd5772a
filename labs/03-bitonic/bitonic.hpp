// The contract of lab 03: what each stage is called with and what it must leave behind.
//
// Every entry point sorts the n keys at a device pointer, in place, and returns a result. A device
// pointer has the alignment of cudaMalloc. A call may return before its kernels have finished. It
// must free the device memory that it allocates, whatever it returns: a call that keeps any loses
// the stage. The __device__ variables that it uses have at most 64 KiB together, because no
// fixed size is enough for every n. It makes few launches: at most 64, and one more for every 16
// keys.
//
// "In order" means IEEE 754's total order, with one change: a NaN with a sign bit does not come
// before all numbers but after all other keys. So the order is -inf ... -0, +0 ... +inf, NaN, -NaN.
// Keys with the same bits are the same key. Any two other keys have an order. No bit may be lost or
// changed.
#pragma once

#include <cstddef>

#include "entry_points.hpp"

namespace bitonic {

enum class Result {
  unfinished,     // what the skeleton returns
  sorted,         // the keys are in order, or will be when the kernels have finished
  bad_length,     // n is more than kMostKeys or, in stage 1, not a power of two
  null_pointer,   // a pointer is null and n is not 0
  host_pointer,   // a pointer points neither into device nor managed memory, and n is not 0
  out_of_memory,  // the device has no memory for what the sort needs beside the keys
};
// With every result but `sorted`, all keys and values stay unchanged. n = 0 is sorted, whatever the
// pointers are. A bad length is refused before any pointer is looked at. Managed memory may also be
// refused as host_pointer.

/// The most keys that are sorted: 2 * kMostKeys still fits a 32-bit index, but a number of bytes
/// does not. Still, a length is a size_t: cut down to 32 bits, 2^32 + 8 reads 8.
inline constexpr std::size_t kMostKeys = std::size_t{1} << 30;

/// Stage 1. n is 0 or a power of two; the pointer is good. Every step of the network is a launch:
/// k (k + 1) / 2 launches for n = 2^k. With 512 keys or more, at least 16 threads work at a time,
/// on average over all accesses to memory; those that only read for show are none of them. In each
/// stage up to 4 more launches may prepare the keys, in a copy for example, and bring them back.
Result global(float* keys, std::size_t n);

/// Stage 2. Any n, any pointer.
Result any_length(float* keys, std::size_t n);

/// Keys per tile. A tile is consecutive keys, from a multiple of kTile on, that a block of stages 3
/// and 4 sorts or merges at once. Larger tiles are fine.
inline constexpr std::size_t kTile = 1024;

/// Stage 3. As stage 2, with all steps that stay inside a tile in one launch. If L is the number of
/// doublings from kTile to n, there are at most 1 + (2 + 3 + ... + (L + 1)) launches.
Result shared(float* keys, std::size_t n);

/// Stage 3. Sorts n pairs (keys[i], values[i]): by key, and those with the same key by value.
Result shared_pairs(float* keys, unsigned* values, std::size_t n);

/// Stage 4. As stage 3, but fast: at least two strides in each pass over memory, so at most
/// 1 + (2 + 2 + 3 + 3 + 4 + 4 + ...) passes, with L terms in the parentheses. Up to 2^16 keys this
/// is also the limit for launches. A larger array may be sorted in pieces, with launches for each.
Result registers(float* keys, std::size_t n);
Result registers_doubles(double* keys, std::size_t n);
Result registers_pairs(float* keys, unsigned* values, std::size_t n);

WARPWISE_ENTRY_POINTS(global, any_length, shared, shared_pairs, registers, registers_doubles,
                      registers_pairs)

}  // namespace bitonic
