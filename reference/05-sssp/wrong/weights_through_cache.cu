// expect: restrict: rejected: distances must be read through the read-only cache
// At least one distance of an edge is not read through the read-only cache.
//
// The weights are, twice; distances are not.
#include <cmath>
#include <span>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "sssp.hpp"

namespace sssp {

template <typename Weight>
__global__ void start_at(int source, Weight* dist, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) dist[v] = v == source ? Weight{0} : static_cast<Weight>(INFINITY);
}

template <typename Weight>
__global__ void sweep_edges(const int* start, const int* end, const Weight* __restrict__ weight,
                            const Weight* __restrict__ again, int edges, Weight* dist,
                            int* changed) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const Weight to_u = dist[start[e]], to_v = dist[end[e]];
  if (to_v + weight[e] < to_u) {
    dist[start[e]] = to_v + again[e];
    *changed = 1;
  } else if (to_u + weight[e] < to_v) {
    dist[end[e]] = to_u + again[e];
    *changed = 1;
  }
}

template <typename Weight>
int search(const int* start, const int* end, const Weight* weight, int edges, int n, int source,
           Weight* dist) {
  start_at<<<kit::ceil_div(n, 256), 256>>>(source, dist, n);
  if (edges == 0) return 1;
  kit::DeviceBuffer<int> changed(1);
  for (int sweep = 1;; ++sweep) {
    CUDA_CHECK(cudaMemset(changed.data(), 0, sizeof(int)));
    sweep_edges<<<kit::ceil_div(edges, 256), 256>>>(start, end, weight, weight, edges, dist,
                                                    changed.data());
    int seen = 0;
    changed.copy_to(std::span(&seen, 1));
    if (!seen) return sweep;
  }
}

int restrict(const int* start, const int* end, const float* weight, int edges, int n, int source,
             float* dist) {
  return search(start, end, weight, edges, n, source, dist);
}
int restrict_double(const int* start, const int* end, const double* weight, int edges, int n,
                    int source, double* dist) {
  return search(start, end, weight, edges, n, source, dist);
}

}  // namespace sssp
