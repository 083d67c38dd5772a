// expect on cpu: atomic: race: the answer depends on the order in which the threads run
// The distance is read, compared and then exchanged: what another thread wrote in between is lost, and a later
// sweep repairs it. Threads that run one after the other never show it.
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

__device__ void exchange(float* dist, float value) { atomicExch(dist, value); }
__device__ void exchange(double* dist, double value) {
  atomicExch(reinterpret_cast<unsigned long long*>(dist), __double_as_longlong(value));
}

template <typename Weight>
__device__ bool lower(Weight* dist, Weight value) {
  if (value >= atomicAdd(dist, Weight(0))) return false;
  exchange(dist, value);
  return true;
}

template <typename Weight>
__global__ void relax_edges(const int* start, const int* end, const Weight* weight, int edges,
                            Weight* dist, int* changed) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const Weight to_u = atomicAdd(dist + start[e], Weight(0)), to_v = atomicAdd(dist + end[e], Weight(0));
  const bool lowered_u = lower(dist + start[e], to_v + weight[e]);
  if (lower(dist + end[e], to_u + weight[e]) || lowered_u) atomicExch(changed, 1);
}

template <typename Weight>
int sweeps(const int* start, const int* end, const Weight* weight, int edges, int n, int source,
           Weight* dist) {
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

int atomic(const int* start, const int* end, const float* weight, int edges, int n, int source,
           float* dist) {
  return sweeps(start, end, weight, edges, n, source, dist);
}
int atomic_double(const int* start, const int* end, const double* weight, int edges, int n,
                  int source, double* dist) {
  return sweeps(start, end, weight, edges, n, source, dist);
}

}  // namespace sssp
