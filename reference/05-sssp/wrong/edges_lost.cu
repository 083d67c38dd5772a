// expect: locality: wrong answer: is not an edge of the list
// Puts the last edge of the list over the one before it.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "sssp.hpp"

namespace sssp {

__global__ void sort_by_one_thread(const int* start, const int* end, const float* weight, int edges,
                                   int n, int segment, int* label, int* arranged_start,
                                   int* arranged_end, float* arranged_weight) {
  for (int v = 0; v < n; ++v) label[v] = v;
  for (int e = 0; e < edges; ++e) {  // insertion sort: right, but very slow
    int place = e;
    const int u = start[e / 2 * 2], v = end[e / 2 * 2];
    for (; place > 0; --place) {
      const int before_u = arranged_start[place - 1], before_v = arranged_end[place - 1];
      const bool behind = before_v / segment < v / segment ||
                          (before_v / segment == v / segment && before_u / segment <= u / segment);
      if (behind) break;
      arranged_start[place] = before_u;
      arranged_end[place] = before_v;
      arranged_weight[place] = arranged_weight[place - 1];
    }
    arranged_start[place] = u;
    arranged_end[place] = v;
    arranged_weight[place] = weight[e];
  }
}

void arrange(const int* start, const int* end, const float* weight, int edges, int n, int segment,
             int* label, int* arranged_start, int* arranged_end, float* arranged_weight) {
  sort_by_one_thread<<<1, 1>>>(start, end, weight, edges, n, segment, label, arranged_start,
                               arranged_end, arranged_weight);
  CUDA_CHECK_LAUNCH();
}

}  // namespace sssp
