// The article's locality: the list of edges, sorted by (segment of the end, segment of the start),
// with the vertices' own numbers.
#pragma once

#include <cstdint>

namespace figures {

/// place[i] becomes the edge that stands i-th in the new order; those alike keep their order.
/// `segment` >= 1 vertices make a segment; all pointers are device pointers.
void order_by_segments(const int* start, const int* end, int edges, int n, int segment, int* place);

}  // namespace figures
