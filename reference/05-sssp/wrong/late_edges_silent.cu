// expect on cpu: relax: race: should be
// Of the edges after the first 2^20, those that lower their end do not tell that they did.
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
__global__ void sweep(const int* start, const int* end, const Weight* weight, int edges,
                      Weight* dist, int* changed) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const int u = start[e], v = end[e];
  const Weight over_u = dist[u] + weight[e], over_v = dist[v] + weight[e];
  if (over_u < dist[v]) {
    dist[v] = over_u;
    if (e < 1 << 20) *changed = 1;  // should be for every edge
  }
  if (over_v < dist[u]) {
    dist[u] = over_v;
    *changed = 1;
  }
}

template <typename Weight>
int search(const int* start, const int* end, const Weight* weight, int edges, int n, int source,
           Weight* dist) {
  start_at<<<kit::ceil_div(n, 256), 256>>>(source, dist, n);
  CUDA_CHECK_LAUNCH();
  if (edges == 0) return 1;
  kit::DeviceBuffer<int> changed(1);
  for (int sweeps = 1;; ++sweeps) {
    CUDA_CHECK(cudaMemset(changed.data(), 0, sizeof(int)));
    sweep<<<kit::ceil_div(edges, 256), 256>>>(start, end, weight, edges, dist, changed.data());
    CUDA_CHECK_LAUNCH();
    if (!kit::read_back(changed.data())) return sweeps;
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
