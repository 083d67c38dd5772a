// expect on cpu: atomic: race
// A lock for each vertex that is looked at and then taken: two threads may see it free, and one of their
// distances is lost.
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

/// Only who has the lock reads and writes the distance.
template <typename Weight>
__device__ bool lower(int* lock, Weight* dist, Weight value) {
  while (true) {
    if (atomicAdd(lock, 0) != 0) continue;
    atomicAdd(lock, 1);
    __threadfence();
    volatile Weight* const known = dist;
    const bool nearer = value < *known;
    if (nearer) *known = value;
    __threadfence();
    atomicSub(lock, 1);
    return nearer;
  }
}

template <typename Weight>
__global__ void relax_edges(const int* start, const int* end, const Weight* weight, int edges,
                            Weight* dist, int* locks, int* changed) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const int u = start[e], v = end[e];
  const Weight w = weight[e];
  const Weight to_u = *static_cast<const volatile Weight*>(dist + u);
  const Weight to_v = *static_cast<const volatile Weight*>(dist + v);
  if (to_v + w < to_u && lower(locks + u, dist + u, to_v + w)) atomicExch(changed, 1);
  if (to_u + w < to_v && lower(locks + v, dist + v, to_u + w)) atomicExch(changed, 1);
}

template <typename Weight>
int sweeps(const int* start, const int* end, const Weight* weight, int edges, int n, int source,
           Weight* dist) {
  start_at<<<kit::ceil_div(n, 256), 256>>>(source, dist, n);
  kit::DeviceBuffer<int> changed(1), locks(n);
  CUDA_CHECK(cudaMemset(locks.data(), 0, n * sizeof(int)));
  for (int sweep = 1;; ++sweep) {
    CUDA_CHECK(cudaMemset(changed.data(), 0, sizeof(int)));
    if (edges > 0)
      relax_edges<<<kit::ceil_div(edges, 256), 256>>>(start, end, weight, edges, dist,
                                                      locks.data(), changed.data());
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
