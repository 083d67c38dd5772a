// The contract of lab 02: rank sort whose result returns into the array it came from.
//
// All pointers are device pointers. Keys are floats in any order: they may repeat and be infinite or
// zero of either sign, but there is no NaN. "Sorted" means ascending by <, -0 equal to 0, and equal
// keys keep their order (0 and -0 can be told apart). n = 0 and arrays = 0 launch nothing. An entry
// point may return before its kernels have finished. No stage takes device memory of its own: what
// a block needs beside the keys is shared memory and registers.
#pragma once

#include "entry_points.hpp"

namespace in_place {

/// The most keys for one thread each: the threads of the largest block.
inline constexpr int kOneEach = 1024;

/// The most keys that fit the 48 KB of shared memory a block has without asking for more.
inline constexpr int kFullShared = 12288;

/// Stage 1. Sorts the n <= kOneEach keys with one block, one thread for every key: keys and ranks
/// stand in shared memory.
void in_place(float* keys, int n);

/// Stage 2. Sorts the n <= kFullShared keys with one block. At the largest n the keys fill shared
/// memory to the last byte: ranks, and the keys on the move, stay in registers.
void registers(float* keys, int n);

/// Stage 3. Sorts `arrays` independent arrays of n <= kOneEach keys each: array a is keys[a * n] up
/// to, without, keys[(a + 1) * n]. A block each, or for small arrays a warp each.
void batched(float* keys, int n, int arrays);

/// Stage 4. As stage 3, fast: for one array and for many, for any n <= kOneEach.
void fast(float* keys, int n, int arrays);

WARPWISE_ENTRY_POINTS(in_place, registers, batched, fast)

}  // namespace in_place
