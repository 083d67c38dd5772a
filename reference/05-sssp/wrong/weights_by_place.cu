// expect: edges: wrong answer: of weight
// Takes a weight by the place in the list, instead of the arc in the CSR.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "prefix_sum.hpp"
#include "sssp.hpp"

namespace sssp {

__device__ bool is_listed(int v, int target) { return target > v; }

__global__ void count_arcs(const int* offsets, const int* targets, int n, int* count) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  count[v] = 0;
  for (int i = offsets[v]; i < offsets[v + 1]; ++i) count[v] += is_listed(v, targets[i]);
}

__global__ void copy_arcs(const int* offsets, const int* targets, const float* weights, int n,
                          const int* first, int* start, int* end, float* weight) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int place = first[v];
  for (int i = offsets[v]; i < offsets[v + 1]; ++i) {
    if (!is_listed(v, targets[i])) continue;
    start[place] = v;
    end[place] = targets[i];
    weight[place] = weights[place];
    ++place;
  }
}

int edges(const int* offsets, const int* targets, const float* weights, int n, int, int* start,
          int* end, float* weight) {
  kit::DeviceBuffer<int> count(n), first(n + 1);
  count_arcs<<<kit::ceil_div(n, 256), 256>>>(offsets, targets, n, count.data());
  CUDA_CHECK_LAUNCH();
  kit::sum_before(count.data(), n, first.data());
  copy_arcs<<<kit::ceil_div(n, 256), 256>>>(offsets, targets, weights, n, first.data(), start, end,
                                            weight);
  CUDA_CHECK_LAUNCH();
  return kit::read_back(first.data() + n);
}

}  // namespace sssp
