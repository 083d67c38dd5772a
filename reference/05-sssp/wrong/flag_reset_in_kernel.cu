// expect: relax: race
// A thread of the kernel resets the flag, which others may have set already.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "sssp.hpp"

namespace sssp {

__global__ void start_at(int source, float* dist, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) dist[v] = v == source ? 0.0f : INFINITY;
}

__device__ int changed;

__global__ void relax_edges(const int* start, const int* end, const float* weight, int edges,
                            float* dist) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e == 0) changed = 0;
  if (e >= edges) return;
  const int u = start[e], v = end[e];
  const float w = weight[e], to_u = dist[u], to_v = dist[v];
  if (to_v + w < to_u) {
    dist[u] = to_v + w;
    changed = 1;
  } else if (to_u + w < to_v) {
    dist[v] = to_u + w;
    changed = 1;
  }
}

int relax(const int* start, const int* end, const float* weight, int edges, int n, int source,
          float* dist) {
  start_at<<<kit::ceil_div(n, 256), 256>>>(source, dist, n);
  for (int sweep = 1;; ++sweep) {
    relax_edges<<<kit::ceil_div(edges, 256) + 1, 256>>>(start, end, weight, edges, dist);
    CUDA_CHECK_LAUNCH();
    int again = 0;
    CUDA_CHECK(cudaMemcpyFromSymbol(&again, changed, sizeof again));
    if (again == 0) return sweep;
  }
}

// The same for double: the grader looks at races and reads only if all answers are right.

__global__ void start_at(int source, double* dist, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) dist[v] = v == source ? 0.0 : INFINITY;
}

__global__ void relax_edges(const int* start, const int* end, const double* weight, int edges,
                            double* dist) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e == 0) changed = 0;
  if (e >= edges) return;
  const int u = start[e], v = end[e];
  const double w = weight[e], to_u = dist[u], to_v = dist[v];
  if (to_v + w < to_u) {
    dist[u] = to_v + w;
    changed = 1;
  } else if (to_u + w < to_v) {
    dist[v] = to_u + w;
    changed = 1;
  }
}

int relax_double(const int* start, const int* end, const double* weight, int edges, int n,
                 int source, double* dist) {
  start_at<<<kit::ceil_div(n, 256), 256>>>(source, dist, n);
  for (int sweep = 1;; ++sweep) {
    relax_edges<<<kit::ceil_div(edges, 256) + 1, 256>>>(start, end, weight, edges, dist);
    CUDA_CHECK_LAUNCH();
    int again = 0;
    CUDA_CHECK(cudaMemcpyFromSymbol(&again, changed, sizeof again));
    if (again == 0) return sweep;
  }
}

}  // namespace sssp
