// expect: atomic: wrong answer: should be
// Of all edges of a thread, only the last one that it has relaxed tells whether something changed.
#include "ceil_div.hpp"
#include "cooperative.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "sssp.hpp"

namespace sssp {

template <typename Weight>
__global__ void start_at(int source, Weight* dist, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) dist[v] = v == source ? Weight{0} : static_cast<Weight>(INFINITY);
}

__device__ float atomic_min(float* address, float value) {
  return __int_as_float(atomicMin(reinterpret_cast<int*>(address), __float_as_int(value)));
}
__device__ double atomic_min(double* address, double value) {
  return __longlong_as_double(
      atomicMin(reinterpret_cast<long long*>(address), __double_as_longlong(value)));
}

template <typename Weight>
__global__ void sweep(const int* start, const int* end, const Weight* weight, int edges,
                      Weight* dist, int* changed_in, int* sweeps) {
  const volatile Weight* const now = dist;
  for (int number = 1;; ++number) {
    bool changed = false;
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < edges; e += gridDim.x * blockDim.x) {
      const int u = start[e], v = end[e];
      const Weight over_u = now[u] + weight[e], over_v = now[v] + weight[e];
      const bool down = over_u < now[v] && over_u < atomic_min(&dist[v], over_u);
      const bool up = over_v < now[u] && over_v < atomic_min(&dist[u], over_v);
      changed = down || up;  // should be |=
    }
    if (kit::changed_anywhere(changed, number, changed_in)) continue;
    if (blockIdx.x == 0 && threadIdx.x == 0) *sweeps = number;
    return;
  }
}

template <typename Weight>
int search(const int* start, const int* end, const Weight* weight, int edges, int n, int source,
           Weight* dist) {
  start_at<<<kit::ceil_div(n, 256), 256>>>(source, dist, n);
  CUDA_CHECK_LAUNCH();
  if (edges == 0) return 1;
  kit::DeviceBuffer<int> counters(3);
  CUDA_CHECK(cudaMemset(counters.data(), 0, 3 * sizeof(int)));
  const int blocks = kit::resident_blocks(sweep<Weight>, 256, kit::ceil_div(edges, 256));
  kit::launch_cooperatively(sweep<Weight>, blocks, 256, start, end, weight, edges, dist,
                            counters.data(), counters.data() + 2);
  return kit::read_back(counters.data() + 2);
}

int atomic(const int* start, const int* end, const float* weight, int edges, int n, int source,
           float* dist) {
  return search(start, end, weight, edges, n, source, dist);
}
int atomic_double(const int* start, const int* end, const double* weight, int edges, int n,
                  int source, double* dist) {
  return search(start, end, weight, edges, n, source, dist);
}

}  // namespace sssp
