// expect on cpu: frontier: wrong answer: accesses to memory
// Relaxes the arcs of all vertices in each round, from the distances that the round before has left.
#include <cmath>
#include <utility>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "sssp.hpp"

namespace sssp {

template <typename Weight>
__global__ void start_at(int source, Weight* dist, Weight* next, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) dist[v] = next[v] = v == source ? Weight{0} : static_cast<Weight>(INFINITY);
}

/// The graph is undirected: each vertex asks its neighbours.
template <typename Weight>
__global__ void pull(const int* offsets, const int* targets, const Weight* weights, int n,
                     const Weight* dist, Weight* next, int* changed) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  Weight best = dist[v];
  for (int i = offsets[v]; i < offsets[v + 1]; ++i)
    if (dist[targets[i]] + weights[i] < best) best = dist[targets[i]] + weights[i];
  next[v] = best;
  if (best < dist[v]) *changed = 1;
}

template <typename Weight>
int search(const int* offsets, const int* targets, const Weight* weights, int n, int source,
           Weight* dist) {
  kit::DeviceBuffer<Weight> other(n);
  kit::DeviceBuffer<int> changed(1);
  const int blocks = kit::ceil_div(n, 256);
  start_at<<<blocks, 256>>>(source, dist, other.data(), n);
  Weight *from = dist, *to = other.data();
  for (int round = 1;; ++round) {
    CUDA_CHECK(cudaMemset(changed.data(), 0, sizeof(int)));
    pull<<<blocks, 256>>>(offsets, targets, weights, n, from, to, changed.data());
    CUDA_CHECK_LAUNCH();
    std::swap(from, to);
    if (kit::read_back(changed.data())) continue;
    return round;  // both have the same distances
  }
}

int frontier(const int* offsets, const int* targets, const float* weights, int n, int, int source,
             float* dist) {
  return search(offsets, targets, weights, n, source, dist);
}
int frontier_double(const int* offsets, const int* targets, const double* weights, int n, int,
                    int source, double* dist) {
  return search(offsets, targets, weights, n, source, dist);
}

}  // namespace sssp
