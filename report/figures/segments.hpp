// The article's locality: the list of edges, sorted by (segment of the end, segment of the start).
// The vertices keep their numbers.
#pragma once

#include <cstdint>

namespace figures {

/// place[i] becomes the number of the edge at position i in the new order; the sort is stable. A
/// segment has `segment` >= 1 vertices; all pointers are device pointers.
void order_by_segments(const int* start, const int* end, int edges, int n, int segment, int* place);

}  // namespace figures
