// expect on cpu: relax: race: the answer depends on the order
// Counts the changes of a sweep, and copies 16 bits of their number to the host.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "sssp.hpp"

namespace sssp {

template <typename Weight>
__global__ void start_at(int source, Weight* dist, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) dist[v] = v == source ? Weight{0} : static_cast<Weight>(INFINITY);
}

template <typename Weight>
__global__ void relax_edges(const int* start, const int* end, const Weight* weight, int edges,
                            Weight* dist, unsigned* changes) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const int u = start[e], v = end[e];
  const Weight w = weight[e], to_u = dist[u], to_v = dist[v];
  if (to_v + w < to_u) {
    dist[u] = to_v + w;
    atomicAdd(changes, 1);
  } else if (to_u + w < to_v) {
    dist[v] = to_u + w;
    atomicAdd(changes, 1);
  }
}

template <typename Weight>
int search(const int* start, const int* end, const Weight* weight, int edges, int n, int source,
           Weight* dist) {
  start_at<<<kit::ceil_div(n, 256), 256>>>(source, dist, n);
  CUDA_CHECK_LAUNCH();
  if (edges == 0) return 1;
  unsigned* changes;
  CUDA_CHECK(cudaMalloc(&changes, sizeof *changes));
  for (int sweep = 1;; ++sweep) {
    CUDA_CHECK(cudaMemset(changes, 0, sizeof *changes));
    relax_edges<<<kit::ceil_div(edges, 256), 256>>>(start, end, weight, edges, dist, changes);
    CUDA_CHECK_LAUNCH();
    unsigned short made;
    CUDA_CHECK(cudaMemcpy(&made, changes, sizeof made, cudaMemcpyDeviceToHost));
    if (made > 0) continue;
    CUDA_CHECK(cudaFree(changes));
    return sweep;
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
