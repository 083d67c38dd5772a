// expect: edges: wrong answer: should be
// Takes the arcs of a vertex to be in the order of their targets, and leaves out all before the
// last one to a smaller vertex.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "prefix_sum.hpp"
#include "sssp.hpp"

namespace sssp {

/// The first arc to a larger vertex, by binary search.
__device__ int first_forward(const int* offsets, const int* targets, int v) {
  int low = offsets[v], high = offsets[v + 1];
  while (low < high) {
    const int middle = (low + high) / 2;
    if (targets[middle] > v)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

__global__ void count_forward(const int* offsets, const int* targets, int n, int* count) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) count[v] = offsets[v + 1] - first_forward(offsets, targets, v);
}

template <typename Weight>
__global__ void copy_forward(const int* offsets, const int* targets, const Weight* weights, int n,
                             int room, const int* first, int* start, int* end, Weight* weight) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int place = first[v];
  for (int i = first_forward(offsets, targets, v); i < offsets[v + 1] && place < room; ++i) {
    start[place] = v;
    end[place] = targets[i];
    weight[place++] = weights[i];
  }
}

template <typename Weight>
int list(const int* offsets, const int* targets, const Weight* weights, int n, int arcs, int* start,
         int* end, Weight* weight) {
  if (arcs == 0) return 0;
  kit::DeviceBuffer<int> count(n), first(n + 1);
  const int blocks = kit::ceil_div(n, 256);
  count_forward<<<blocks, 256>>>(offsets, targets, n, count.data());
  kit::sum_before(count.data(), n, first.data());
  copy_forward<<<blocks, 256>>>(offsets, targets, weights, n, arcs / 2, first.data(), start, end,
                                weight);
  CUDA_CHECK_LAUNCH();
  return kit::read_back(first.data() + n);
}

int edges(const int* offsets, const int* targets, const float* weights, int n, int arcs, int* start,
          int* end, float* weight) {
  return list(offsets, targets, weights, n, arcs, start, end, weight);
}
int edges_double(const int* offsets, const int* targets, const double* weights, int n, int arcs,
                 int* start, int* end, double* weight) {
  return list(offsets, targets, weights, n, arcs, start, end, weight);
}

}  // namespace sssp
