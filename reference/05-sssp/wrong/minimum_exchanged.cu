// expect: atomic: wrong answer: without lost updates
// The distance is read, compared and then exchanged: what another thread wrote in between is lost, and a later
// sweep repairs it. Threads that run one after the other never show it.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "sssp.hpp"

namespace sssp {

__global__ void start_at(int source, float* dist, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) dist[v] = v == source ? 0.0f : INFINITY;
}

__device__ bool lower(float* dist, float value) {
  if (value >= atomicAdd(dist, 0.0f)) return false;
  atomicExch(dist, value);
  return true;
}

__global__ void relax_edges(const int* start, const int* end, const float* weight, int edges,
                            float* dist, int* changed) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const float to_u = atomicAdd(dist + start[e], 0.0f), to_v = atomicAdd(dist + end[e], 0.0f);
  if (lower(dist + start[e], to_v + weight[e]) | lower(dist + end[e], to_u + weight[e])) atomicExch(changed, 1);
}

int atomic(const int* start, const int* end, const float* weight, int edges, int n, int source,
           float* dist) {
  start_at<<<kit::ceil_div(n, 256), 256>>>(source, dist, n);
  kit::DeviceBuffer<int> changed(1);
  for (int sweep = 1;; ++sweep) {
    CUDA_CHECK(cudaMemset(changed.data(), 0, sizeof(int)));
    if (edges > 0)
      relax_edges<<<kit::ceil_div(edges, 256), 256>>>(start, end, weight, edges, dist, changed.data());
    CUDA_CHECK_LAUNCH();
    int seen = 0;
    CUDA_CHECK(cudaMemcpy(&seen, changed.data(), sizeof seen, cudaMemcpyDeviceToHost));
    if (!seen) return sweep;
  }
}

}  // namespace sssp
