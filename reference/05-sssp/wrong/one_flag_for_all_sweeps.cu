// expect on cpu: atomic: crashed: cudaErrorLaunchFailure
// All sweeps in one launch with one flag: a block that is ahead writes the number of the next sweep
// before another block has read the number of this one. The other block takes the search for
// finished, and leaves.
#include <cooperative_groups.h>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "sssp.hpp"

namespace sssp {

__device__ int changed_in, sweeps;

__device__ float atomic_min(float* address, float value) {
  return __int_as_float(atomicMin(reinterpret_cast<int*>(address), __float_as_int(value)));
}
__device__ double atomic_min(double* address, double value) {
  return __longlong_as_double(
      atomicMin(reinterpret_cast<long long*>(address), __double_as_longlong(value)));
}

template <typename Weight>
__global__ void sweep_all(const int* start, const int* end, const Weight* weight, int edges, int n,
                          int source, Weight* dist) {
  const auto grid = cooperative_groups::this_grid();
  const int self = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  for (int v = self; v < n; v += threads)
    dist[v] = v == source ? Weight{0} : static_cast<Weight>(INFINITY);
  grid.sync();
  for (int sweep = 1;; ++sweep) {
    for (int e = self; e < edges; e += threads) {
      const Weight w = weight[e], to_u = *static_cast<volatile Weight*>(&dist[start[e]]),
                   to_v = *static_cast<volatile Weight*>(&dist[end[e]]);
      if (to_v + w < to_u) {
        if (to_v + w < atomic_min(&dist[start[e]], to_v + w)) changed_in = sweep;
      } else if (to_u + w < to_v) {
        if (to_u + w < atomic_min(&dist[end[e]], to_u + w)) changed_in = sweep;
      }
    }
    grid.sync();
    if (changed_in != sweep) {
      if (self == 0) sweeps = sweep;
      return;
    }
  }
}

template <typename Weight>
int search(const int* start, const int* end, const Weight* weight, int edges, int n, int source,
           Weight* dist) {
  int result = 0;
  CUDA_CHECK(cudaMemcpyToSymbol(changed_in, &result, sizeof result));
  void* arguments[] = {&start, &end, &weight, &edges, &n, &source, &dist};
  CUDA_CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(sweep_all<Weight>), 16, 256,
                                         arguments, 0, nullptr));
  CUDA_CHECK(cudaMemcpyFromSymbol(&result, sweeps, sizeof result));
  return result;
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
