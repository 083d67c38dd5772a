// The contract of lab @NUMBER@: what each stage is called with and what it must leave behind.
//
// All pointers are device pointers to as many elements as said; no two buffers overlap, and `in`
// stays as it is. n >= 0, and n = 0 launches nothing (a grid of zero blocks is an error in CUDA).
#pragma once

#include "entry_points.hpp"

namespace @SPACE@ {

/// Stage 1. Writes 2 * in[i] to out[i] for every i < n, with one thread for every element.
void first(const int* in, int* out, int n);

/// Stage 2. As stage 1, with at most 1024 threads in all, whatever n is.
void second(const int* in, int* out, int n);

WARPWISE_ENTRY_POINTS(first, second)

}  // namespace @SPACE@
