// expect on cpu: atomic: race: the answer depends on the order in which the threads run
// Compare and swap, but only once: where another thread was faster, the smaller distance is lost, and a later
// sweep repairs it.
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

__device__ float swap_if(float* dist, float seen, float value) {
  return __int_as_float(atomicCAS(reinterpret_cast<int*>(dist), __float_as_int(seen), __float_as_int(value)));
}
__device__ double swap_if(double* dist, double seen, double value) {
  return __longlong_as_double(atomicCAS(reinterpret_cast<unsigned long long*>(dist),
                                        __double_as_longlong(seen), __double_as_longlong(value)));
}

template <typename Weight>
__device__ bool lower(Weight* dist, Weight value) {
  const Weight seen = swap_if(dist, Weight(0), Weight(0));
  if (value >= seen) return false;
  swap_if(dist, seen, value);
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
