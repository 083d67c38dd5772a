// expect: relax: wrong answer
// Infinity is the largest float until the search has ended: a path of that length counts as none.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "sssp.hpp"

#include <limits>

namespace sssp {

constexpr int kThreads = 256;

template <typename Weight>
constexpr Weight kFar = std::numeric_limits<Weight>::max();

template <typename Weight>
__global__ void start_at(int source, Weight* dist, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) dist[v] = v == source ? Weight{0} : kFar<Weight>;
}

template <typename Weight>
__global__ void end_search(Weight* dist, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n && dist[v] >= kFar<Weight>) dist[v] = static_cast<Weight>(INFINITY);
}

__device__ int changed_in;

template <typename Weight>
__global__ void relax_edges(const int* start, const int* end, const Weight* weight, int edges,
                            Weight* dist, int sweep) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const int u = start[e], v = end[e];
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
int finish(Weight* dist, int n, int sweeps) {
  end_search<<<kit::ceil_div(n, 256), 256>>>(dist, n);
  CUDA_CHECK_LAUNCH();
  return sweeps;
}

template <typename Weight>
int search(const int* start, const int* end, const Weight* weight, int edges, int n, int source,
           Weight* dist) {
  start_at<<<kit::ceil_div(n, 256), 256>>>(source, dist, n);
  CUDA_CHECK_LAUNCH();
  if (edges == 0) return finish(dist, n, 1);
  int last_change = 0;
  CUDA_CHECK(cudaMemcpyToSymbol(changed_in, &last_change, sizeof last_change));
  for (int sweep = 1;; ++sweep) {
    const int blocks = (edges + kThreads - 1) / kThreads;
    relax_edges<<<blocks, kThreads>>>(start, end, weight, edges, dist, sweep);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpyFromSymbol(&last_change, changed_in, sizeof last_change));
    if (last_change != sweep) return finish(dist, n, sweep);
  }
}

int relax(const int* start, const int* end, const float* weight, int edges, int n, int source,
          float* dist) {
  return search(start, end, weight, edges, n, source, dist);
}
int relax_double(const int* start, const int* end, const double* weight, int edges, int n,
                 int source, double* dist) {
  return search(start, end, weight, edges, n, source, dist);
}

}  // namespace sssp
