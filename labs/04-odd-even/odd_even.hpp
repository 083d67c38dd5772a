// The contract of lab 04: odd-even transposition sort, of keys and of records, all in place.
//
// All pointers are device pointers with the alignment of cudaMalloc. No two buffers overlap.
// 0 <= n <= 2^30, so that an index rounded up to whole blocks fits an int. n = 0 launches nothing,
// but stages 3 and 4 may launch a kernel that sets their count.
//
// An entry point may return before its kernels have finished. It may allocate device memory and
// make texture objects, and must give both back: a call that keeps any loses the stage. The
// __device__ variables that it uses have at most 64 KiB together, because no fixed size is enough
// for every n.
//
// Phases are counted from 0. Phase p compares the neighbours i and i + 1 for every i of the same
// parity as p: phase 0 the pairs (0, 1) (2, 3) ..., phase 1 the pairs (1, 2) (3, 4) .... A last
// element without a partner stays where it is. A pair changes places only if its second element
// belongs before its first. So equal elements never pass each other, and keep their order. After n
// phases any input is sorted.
//
// In stages 1 to 4, with 512 elements or more, at least 16 threads work at a time: that is the
// average over all accesses to memory. A grid may be small, and some of its threads idle. Threads
// that only read for show are none of the 16.
//
// Keys are floats in any order: they may repeat and be infinite or zero of either sign, but there
// is no NaN. They are sorted ascending by <, and -0 is equal to 0.
#pragma once

#include "entry_points.hpp"

namespace odd_even {

/// Stage 1. Sorts the n keys in n phases, one launch for each. The odd pairs may also come first: n
/// phases sort any input then, too. Up to 16 more launches may prepare the work or complete it.
void phases(float* keys, int n);

/// Stage 2. As stage 1, but ends when an even and an odd phase in a row have changed nothing. If
/// the last phase that changes something is the p-th, it launches at most p + 3 kernels, so that
/// phases may come in pairs, and never more than n + 1. Each phase is a launch.
void early_exit(float* keys, int n);

// Record i is (order[i], level[i], value[i]) with a point of `dimensions` coordinates, 1 to 16:
// coordinate d is payload[d * n + i], any float, whose bits do not change. A record is live if its
// order is not 0. Orders are any ints that are not negative, levels any ints, values any floats but
// NaN. Record a belongs before record b if
//   - a is live and b is not, or
//   - both are live and a has the higher level, or
//   - both are live, their levels are equal, and a has the larger value.
// In every other case neither belongs before the other, and they keep their order: for records that
// are not live, level and value do not count. (The article's names are Orden, Nivel, Valores,
// Puntos, D, and contar for the number of live records.)

/// Stage 3. Sorts the n records in phases, one launch for each; all parts of a record move
/// together. It ends early, as stage 2 does: n phases of a large array take longer than a call may.
/// Up to 24 launches do not count as phases. *live becomes the number of live records, also for
/// n = 0.
void records(int* order, int* level, float* value, float* payload, int dimensions, int* live,
             int n);

/// Stage 4. As stage 3, but the comparisons read order, level and value, all three, through texture
/// objects: tex1Dfetch on linear memory. n is at most 2^27, the limit of a linear texture.
void texture(int* order, int* level, float* value, float* payload, int dimensions, int* live,
             int n);

/// Stage 5. Sorts the n keys in at least n phases, many in each launch: at most 2 + n / 32 launches
/// in all. Only values count: 0 and -0 may pass each other, but one must not become the other.
/// Phases move keys from neighbour to neighbour: where the judge leaves out blocks, none gets past.
void tiled(float* keys, int n);

/// Stage 6. Sorts the n keys by merge-split. First blocks sort runs of the array. Then there are as
/// many rounds as runs: each merges neighbouring runs and splits them again, the lower half to the
/// left. Values count, and keys move, as in stage 5. There are at most 64 launches, and one more
/// for every 16 keys.
void merge_split(float* keys, int n);

WARPWISE_ENTRY_POINTS(phases, early_exit, records, texture, tiled, merge_split)

}  // namespace odd_even
