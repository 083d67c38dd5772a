// expect on cpu: atomic: race: dist[
// A lock that is looked at, then set: two threads may both have found it free, and what one of them writes to a
// volatile distance is lost. Threads that run one after the other never show it.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "sssp.hpp"

namespace sssp {

template <typename Weight>
__global__ void start_at(int source, Weight* dist, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) dist[v] = v == source ? Weight(0) : Weight(INFINITY);
}

template <typename Weight>
__global__ void relax_edges(const int* start, const int* end, const Weight* weight, int edges,
                            volatile Weight* dist, int* changed, int* lock) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const int u = start[e], v = end[e];
  const Weight w = weight[e];
  if (!(dist[u] + w < dist[v]) && !(dist[v] + w < dist[u])) return;
  for (bool done = false; !done;) {
    if (atomicAdd(lock, 0) != 0) continue;
    atomicExch(lock, 1);
    __threadfence();
    const Weight to_u = dist[u], to_v = dist[v];
    if (to_u + w < to_v) dist[v] = to_u + w;
    if (to_v + w < to_u) dist[u] = to_v + w;
    atomicExch(changed, 1);
    __threadfence();
    atomicExch(lock, 0);
    done = true;
  }
}

template <typename Weight>
int sweeps(const int* start, const int* end, const Weight* weight, int edges, int n, int source,
           Weight* dist) {
  start_at<<<kit::ceil_div(n, 256), 256>>>(source, dist, n);
  kit::DeviceBuffer<int> changed(1), lock(1);
  CUDA_CHECK(cudaMemset(lock.data(), 0, sizeof(int)));
  for (int sweep = 1;; ++sweep) {
    CUDA_CHECK(cudaMemset(changed.data(), 0, sizeof(int)));
    if (edges > 0)
      relax_edges<<<kit::ceil_div(edges, 256), 256>>>(start, end, weight, edges, dist,
                                                      changed.data(), lock.data());
    CUDA_CHECK_LAUNCH();
    int seen = 0;
    CUDA_CHECK(cudaMemcpy(&seen, changed.data(), sizeof seen, cudaMemcpyDeviceToHost));
    if (!seen) return sweep;
  }
}

int atomic(const int* start, const int* end, const float* weight, int edges, int n, int source,
           float* dist) {
  return sweeps(start, end, weight, edges, n, source, dist);
}
int atomic_double(const int* start, const int* end, const double* weight, int edges, int n,
                  int source, double* dist) {
  return sweeps(start, end, weight, edges, n, source, dist);
}

}  // namespace sssp
