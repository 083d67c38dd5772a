// expect: locality: wrong answer: should be
// Takes each edge for one from a smaller number to a larger one, as its own arrange makes them.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "prefix_sum.hpp"
#include "sssp.hpp"

namespace sssp {

template <typename Weight>
__global__ void start_at(int source, Weight* dist, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) dist[v] = v == source ? Weight{0} : static_cast<Weight>(INFINITY);
}

__device__ int changed_in;

template <typename Weight>
__global__ void relax_edges(const int* start, const int* end, const Weight* weight, int edges,
                            Weight* dist, int sweep) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const int u = start[e], v = end[e];
  if (u > v) return;
  const Weight w = weight[e], to_u = dist[u], to_v = dist[v];
  if (to_v + w < to_u) {
    dist[u] = to_v + w;
    changed_in = sweep;
  } else if (to_u + w < to_v) {
    dist[v] = to_u + w;
    changed_in = sweep;
  }
}

template <typename Weight>
int search(const int* start, const int* end, const Weight* weight, int edges, int n, int source,
           Weight* dist) {
  start_at<<<kit::ceil_div(n, 256), 256>>>(source, dist, n);
  CUDA_CHECK_LAUNCH();
  if (edges == 0) return 1;
  int last_change = 0;
  CUDA_CHECK(cudaMemcpyToSymbol(changed_in, &last_change, sizeof last_change));
  for (int sweep = 1;; ++sweep) {
    const int blocks = kit::ceil_div(edges, 256);
    relax_edges<<<blocks, 256>>>(start, end, weight, edges, dist, sweep);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpyFromSymbol(&last_change, changed_in, sizeof last_change));
    if (last_change != sweep) return sweep;
  }
}

int locality(const int* start, const int* end, const float* weight, int edges, int n, int source,
             float* dist) {
  return search(start, end, weight, edges, n, source, dist);
}
int locality_double(const int* start, const int* end, const double* weight, int edges, int n,
                    int source, double* dist) {
  return search(start, end, weight, edges, n, source, dist);
}

/// The group of an edge: of the segment of its end, then of its start.
__device__ int group(int start, int end, int segment, int segments) {
  return end / segment * segments + start / segment;
}

__global__ void count_groups(const int* start, const int* end, int edges, int segment,
                             int segments, int* count) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < edges) atomicAdd(&count[group(start[e], end[e], segment, segments)], 1);
}

template <typename Weight>
__global__ void move_edges(const int* start, const int* end, const Weight* weight, int edges,
                           int segment, int segments, int* next, int* arranged_start,
                           int* arranged_end, Weight* arranged_weight) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const int place = atomicAdd(&next[group(start[e], end[e], segment, segments)], 1);
  arranged_start[place] = start[e];
  arranged_end[place] = end[e];
  arranged_weight[place] = weight[e];
}

__global__ void number(int* label, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) label[v] = v;
}

template <typename Weight>
void arrange_edges(const int* start, const int* end, const Weight* weight, int edges, int n,
                   int segment, int* label, int* arranged_start, int* arranged_end,
                   Weight* arranged_weight) {
  number<<<kit::ceil_div(n, 256), 256>>>(label, n);
  if (edges == 0) return;
  const int segments = kit::ceil_div(n, segment), groups = segments * segments;
  kit::DeviceBuffer<int> count(groups), first(groups + 1);
  CUDA_CHECK(cudaMemset(count.data(), 0, groups * sizeof(int)));
  const int blocks = kit::ceil_div(edges, 256);
  count_groups<<<blocks, 256>>>(start, end, edges, segment, segments, count.data());
  CUDA_CHECK_LAUNCH();
  kit::sum_before(count.data(), groups, first.data());
  move_edges<<<blocks, 256>>>(start, end, weight, edges, segment, segments, first.data(),
                              arranged_start, arranged_end, arranged_weight);
  CUDA_CHECK_LAUNCH();
}

int segment(int n) { return kit::ceil_div(n, 16); }

void arrange(const int* start, const int* end, const float* weight, int edges, int n, int segment,
             int* label, int* arranged_start, int* arranged_end, float* arranged_weight) {
  arrange_edges(start, end, weight, edges, n, segment, label, arranged_start, arranged_end,
                arranged_weight);
}
void arrange_double(const int* start, const int* end, const double* weight, int edges, int n,
                    int segment, int* label, int* arranged_start, int* arranged_end,
                    double* arranged_weight) {
  arrange_edges(start, end, weight, edges, n, segment, label, arranged_start, arranged_end,
                arranged_weight);
}

}  // namespace sssp
