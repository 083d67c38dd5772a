// expect: relax: wrong answer: relax_double
// Right with float weights; with double, the number of the source is cut to 20 bits.
#include <cmath>

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
__global__ void relax_edges(const int* start, const int* end, const Weight* weight, int edges,
                            Weight* dist, int* changed_in, int sweep) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const int u = start[e], v = end[e];
  const Weight w = weight[e], to_u = dist[u], to_v = dist[v];
  if (to_v + w < to_u) {
    dist[u] = to_v + w;
    *changed_in = sweep;
  } else if (to_u + w < to_v) {
    dist[v] = to_u + w;
    *changed_in = sweep;
  }
}

template <typename Weight>
int search(const int* start, const int* end, const Weight* weight, int edges, int n, int source,
           Weight* dist) {
  const int first = sizeof(Weight) == sizeof(double) ? source & 0xFFFFF : source;
  start_at<<<kit::ceil_div(n, 256), 256>>>(first, dist, n);
  CUDA_CHECK_LAUNCH();
  if (edges == 0) return 1;
  kit::DeviceBuffer<int> changed_in(1);
  CUDA_CHECK(cudaMemset(changed_in.data(), 0, sizeof(int)));
  const int blocks = kit::ceil_div(edges, 256);
  for (int sweep = 1;; ++sweep) {
    relax_edges<<<blocks, 256>>>(start, end, weight, edges, dist, changed_in.data(), sweep);
    CUDA_CHECK_LAUNCH();
    if (kit::read_back(changed_in.data()) != sweep) return sweep;
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
