// The contract of lab 02: rank sort that writes its result back into the array of the keys.
//
// All pointers are device pointers with the alignment of cudaMalloc; array a of many begins at any
// multiple of four bytes. Keys are floats in any order. They may repeat, and they may be infinite
// or zero of either sign, but there is no NaN. "Sorted" means ascending by <, -0 equal to 0, and
// equal keys keep their order (0 and -0 can be told apart). n = 0 and arrays = 0 launch nothing;
// for n = 1 a launch is not needed.
//
// An entry point may return before its kernels have finished. No stage allocates device memory:
// beside the keys, a block uses only shared memory and registers. Keys are compared there, not in
// global memory: to load and to store them, a call makes at most four accesses to global memory for
// each key, or for each thread if there are more (and 64 for each array). A call makes few
// launches: at most 64, and one more for every 16 keys.
#pragma once

#include "entry_points.hpp"

namespace in_place {

/// The most keys that can have one thread each: the number of threads of the largest block.
inline constexpr int kOneEach = 1024;

/// The most keys that fit the 48 KB of shared memory a block has without asking for more.
inline constexpr int kFullShared = 12288;

/// Stage 1. Sorts the n <= kOneEach keys with one block, one thread for every key: keys are in
/// shared memory, ranks there or in registers.
void in_place(float* keys, int n);

/// Stage 2. Sorts the n <= kFullShared keys with one block, in the 48 KB of shared memory that it
/// has without asking for more. At the largest n the keys fill them to the last byte: ranks and
/// moving keys stay in registers.
void registers(float* keys, int n);

/// Stage 3. Sorts `arrays` independent arrays of n <= kOneEach keys each: array a begins at
/// keys[a * n] and ends before keys[(a + 1) * n]. One block per array; one warp if arrays are
/// small. If there are more than 1024 arrays, 1024 blocks or warps may go on to others. Each has
/// its own arrays: its number says which, and not a queue.
void batched(float* keys, int n, int arrays);

/// Stage 4. As stage 3, fast: for one array and for many, for any n <= kOneEach.
void fast(float* keys, int n, int arrays);

WARPWISE_ENTRY_POINTS(in_place, registers, batched, fast)

}  // namespace in_place
