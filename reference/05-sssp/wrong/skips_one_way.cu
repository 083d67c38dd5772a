// expect on cpu: locality: wrong answer: is not relaxed
// Leaves out edges that cannot improve their end, and forgets that they may improve their start.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "sssp.hpp"

namespace sssp {

int segment(int n) { return kit::ceil_div(n, 8); }

__global__ void number(int* label, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) label[v] = v;
}

/// Moves the edges whose key is in segment 0 to the front, then those of segment 1 ...: right, but
/// slow.
__global__ void sort_by_one_thread(const int* key, const int* start, const int* end,
                                   const float* weight, int edges, int n, int segment, int* to_start,
                                   int* to_end, float* to_weight) {
  int place = 0;
  for (int group = 0; group <= (n - 1) / segment; ++group)
    for (int e = 0; e < edges; ++e) {
      if (key[e] / segment != group) continue;
      to_start[place] = start[e];
      to_end[place] = end[e];
      to_weight[place++] = weight[e];
    }
}

void arrange(const int* start, const int* end, const float* weight, int edges, int n, int segment,
             int* label, int* arranged_start, int* arranged_end, float* arranged_weight) {
  number<<<kit::ceil_div(n, 256), 256>>>(label, n);
  kit::DeviceBuffer<int> by_start(edges), its_end(edges);
  kit::DeviceBuffer<float> its_weight(edges);
  sort_by_one_thread<<<1, 1>>>(start, start, end, weight, edges, n, segment, by_start.data(),
                               its_end.data(), its_weight.data());
  sort_by_one_thread<<<1, 1>>>(its_end.data(), by_start.data(), its_end.data(), its_weight.data(),
                               edges, n, segment, arranged_start, arranged_end, arranged_weight);
  CUDA_CHECK_LAUNCH();
}

__global__ void start_at(int source, float* dist, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) dist[v] = v == source ? 0.0f : INFINITY;
}

__global__ void find_ranges(const float* dist, int n, int segment, float* least, float* largest) {
  const int s = threadIdx.x;
  least[s] = INFINITY;
  largest[s] = 0;
  for (int v = s * segment; v < min(n, (s + 1) * segment); ++v) {
    least[s] = min(least[s], dist[v]);
    largest[s] = max(largest[s], dist[v]);
  }
}

__device__ int changed_in;

__global__ void relax_edges(const int* start, const int* end, const float* weight, int edges,
                            int segment, const float* least, const float* largest, float* dist,
                            int sweep) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const int u = start[e], v = end[e];
  const float w = weight[e];
  if (!(least[u / segment] + w < largest[v / segment])) return;
  const float to_u = dist[u], to_v = dist[v];
  if (to_v + w < to_u) {
    dist[u] = to_v + w;
    changed_in = sweep;
  } else if (to_u + w < to_v) {
    dist[v] = to_u + w;
    changed_in = sweep;
  }
}

int locality(const int* start, const int* end, const float* weight, int edges, int n, int source,
             float* dist) {
  const int size = segment(n), segments = kit::ceil_div(n, size);
  kit::DeviceBuffer<float> least(segments), largest(segments);
  start_at<<<kit::ceil_div(n, 256), 256>>>(source, dist, n);
  int last_change = 0;
  CUDA_CHECK(cudaMemcpyToSymbol(changed_in, &last_change, sizeof last_change));
  for (int sweep = 1;; ++sweep) {
    find_ranges<<<1, segments>>>(dist, n, size, least.data(), largest.data());
    if (edges > 0)
      relax_edges<<<kit::ceil_div(edges, 256), 256>>>(start, end, weight, edges, size, least.data(),
                                                      largest.data(), dist, sweep);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpyFromSymbol(&last_change, changed_in, sizeof last_change));
    if (last_change != sweep) return sweep;
  }
}

}  // namespace sssp
