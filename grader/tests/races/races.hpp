// The contract of a lab that exists only for test_races.py.
#pragma once

#include "entry_points.hpp"

namespace races {

// Each gets kValues elements of `dist` and `level`, all 7, and leaves them unchanged.
void expected(int* dist, int* level);
void other_buffer(int* dist, int* level);
void other_kind(int* dist, int* level);
void other_line(int* dist, int* level);
void other_line_of_same_thread(int* dist, int* level);
void shared_memory(int* dist, int* level);
void outside(int* dist, int* level);
void constant_written(int* dist, int* level);
void constant_read(int* dist, int* level);
void quiet(int* dist, int* level);

inline constexpr int kValues = 256;

WARPWISE_ENTRY_POINTS(expected, other_buffer, other_kind, other_line, other_line_of_same_thread,
                      shared_memory, outside, constant_written, constant_read, quiet)

}  // namespace races
