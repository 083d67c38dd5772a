// The contract of lab @NUMBER@: what each stage is called with and what it must leave behind.
//
// All pointers are device pointers to as many elements as said; no two buffers overlap. n >= 0, and
// n = 0 launches nothing.
#pragma once

#include "entry_points.hpp"

namespace @SPACE@ {

/// Stage 1. Writes 2 * in[i] to out[i] for every i < n.
void first(const float* in, float* out, int n);

WARPWISE_ENTRY_POINTS(first)

}  // namespace @SPACE@
