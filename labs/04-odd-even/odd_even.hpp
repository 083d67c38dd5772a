// The contract of lab 04: odd-even transposition sort, of keys and of records, all in place.
//
// All pointers are device pointers; no two buffers overlap; n >= 0, and n = 0 launches nothing. An
// entry point may return before its kernels have finished. It may take device memory of its own,
// and frees it again.
//
// Phase p, counted from 0, compares the neighbours i and i + 1 for every i of the same parity as p:
// phase 0 the pairs (0, 1) (2, 3) ..., phase 1 the pairs (1, 2) (3, 4) .... A last element without
// a partner stays where it is. A pair changes places only if its second element belongs before its
// first: so equal elements never pass each other, and keep their order. After n phases any input
// is sorted.
//
// Keys are floats in any order: they may repeat and be infinite or zero of either sign, but there
// is no NaN. They are sorted ascending by <, and -0 is equal to 0.
#pragma once

#include "entry_points.hpp"

namespace odd_even {

/// Stage 1. Sorts the n keys in n phases, one launch for each.
void phases(float* keys, int n);

/// Stage 2. As stage 1, but ends once an even and an odd phase in a row have changed nothing. If
/// the last phase that changes something is the p-th, it launches at most p + 3 kernels, so that
/// phases may come in pairs, and at most n + 1 in all.
void early_exit(float* keys, int n);

WARPWISE_ENTRY_POINTS(phases, early_exit)

}  // namespace odd_even
