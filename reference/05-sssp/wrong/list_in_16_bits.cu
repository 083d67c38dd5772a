// expect: frontier: wrong answer
// Counts the vertices that came closer, and copies 16 bits of their number to the host.
#include <cmath>
#include <utility>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "sssp.hpp"

namespace sssp {

template <typename Weight>
__global__ void start_at(int source, Weight* dist, int* now, int* next, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  dist[v] = v == source ? Weight{0} : static_cast<Weight>(INFINITY);
  now[v] = v == source ? 0 : -1;
  next[v] = -1;
}

__device__ float atomic_min(float* address, float value) {
  return __int_as_float(atomicMin(reinterpret_cast<int*>(address), __float_as_int(value)));
}
__device__ double atomic_min(double* address, double value) {
  return __longlong_as_double(
      atomicMin(reinterpret_cast<long long*>(address), __double_as_longlong(value)));
}

/// now[v] is the round in which v is relaxed; one thread per vertex.
template <typename Weight>
__global__ void relax_vertices(const int* offsets, const int* targets, const Weight* weights,
                               int n, int round, Weight* dist, const int* now, int* next,
                               int* closer) {
  const int u = blockIdx.x * blockDim.x + threadIdx.x;
  if (u >= n || now[u] != round) return;
  const Weight to_u = *static_cast<const volatile Weight*>(dist + u);
  for (int i = offsets[u]; i < offsets[u + 1]; ++i) {
    const Weight over_u = to_u + weights[i];
    if (over_u < atomic_min(&dist[targets[i]], over_u)) {
      if (atomicExch(&next[targets[i]], round + 1) != round + 1) atomicAdd(closer, 1);
    }
  }
}

template <typename Weight>
int search(const int* offsets, const int* targets, const Weight* weights, int n, int source,
           Weight* dist) {
  kit::DeviceBuffer<int> one(n), other(n), closer(1);
  int *now = one.data(), *next = other.data();
  const int blocks = kit::ceil_div(n, 256);
  start_at<<<blocks, 256>>>(source, dist, now, next, n);
  for (int round = 0;; ++round) {
    CUDA_CHECK(cudaMemset(closer.data(), 0, sizeof(int)));
    relax_vertices<<<blocks, 256>>>(offsets, targets, weights, n, round, dist, now, next,
                                    closer.data());
    CUDA_CHECK_LAUNCH();
    unsigned short count;
    CUDA_CHECK(cudaMemcpy(&count, closer.data(), sizeof count, cudaMemcpyDeviceToHost));
    if (count == 0) return round + 1;
    std::swap(now, next);
  }
}

int frontier(const int* offsets, const int* targets, const float* weights, int n, int arcs,
             int source, float* dist) {
  return search(offsets, targets, weights, n, source, dist);
}
int frontier_double(const int* offsets, const int* targets, const double* weights, int n, int arcs,
                    int source, double* dist) {
  return search(offsets, targets, weights, n, source, dist);
}

}  // namespace sssp
