// expect: delta: wrong answer
// A vertex has at most 40,000 heavy arcs: the others of a large hub are never relaxed.
#include <algorithm>
#include <cmath>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "sssp.hpp"
#include "warp.hpp"

namespace sssp {

using namespace kit;

constexpr int kBlock = 256, kMostHeavy = 40'000;

/// A warp sorts the arcs of a vertex by a bitonic network (lab 03). All comparisons put the lighter
/// arc in front. So arcs after the end, which would be heavier than all others, need not exist.
template <typename Weight>
__global__ void sort_arcs(const int* offsets, int n, int* targets, Weight* weights) {
  const int v = blockIdx.x * (kBlock / kWarp) + threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  if (v >= n) return;
  const int begin = offsets[v], end = offsets[v + 1];
  const auto exchange = [](auto& a, auto& b) {
    const auto old = a;
    a = b, b = old;
  };
  for (int size = 2; size < 2 * (end - begin); size *= 2)
    for (int apart = size / 2; apart > 0; apart /= 2) {
      const int partners = apart == size / 2 ? size - 1 : apart;  // first, mirror images meet
      __syncwarp();  // all arcs have their places from the step before
      for (int a = begin + lane; a < end; a += kWarp) {
        const int b = begin + ((a - begin) ^ partners);
        if (b < a || b >= end || !(weights[b] < weights[a])) continue;
        exchange(targets[a], targets[b]);
        exchange(weights[a], weights[b]);
      }
    }
}

template <typename Weight>
void sort_all(const int* offsets, const int* targets, const Weight* weights, int n, int arcs,
              int* sorted_targets, Weight* sorted_weights) {
  if (arcs == 0) return;
  CUDA_CHECK(cudaMemcpy(sorted_targets, targets, arcs * sizeof *targets, cudaMemcpyDefault));
  CUDA_CHECK(cudaMemcpy(sorted_weights, weights, arcs * sizeof *weights, cudaMemcpyDefault));
  sort_arcs<<<ceil_div(n, kBlock / kWarp), kBlock>>>(offsets, n, sorted_targets, sorted_weights);
  CUDA_CHECK_LAUNCH();
}

__device__ float atomic_min(float* address, float value) {
  return __int_as_float(atomicMin(reinterpret_cast<int*>(address), __float_as_int(value)));
}
__device__ double atomic_min(double* address, double value) {
  return __longlong_as_double(
      atomicMin(reinterpret_cast<long long*>(address), __double_as_longlong(value)));
}

template <typename Weight>
__global__ void start_at(int source, Weight* dist, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) dist[v] = v == source ? Weight{0} : static_cast<Weight>(INFINITY);
}

/// Relaxes the arcs of the vertices between low and high: arcs that lead below high, or the others.
template <typename Weight>
__global__ void relax_bucket(const int* offsets, const int* targets, const Weight* weights, int n,
                             Weight low, Weight high, bool light, Weight* dist, int* changed) {
  const int u = blockIdx.x * blockDim.x + threadIdx.x;
  const volatile Weight* const known = dist;
  if (u >= n || known[u] < low || !(known[u] < high)) return;
  const int end = light ? offsets[u + 1] : min(offsets[u + 1], offsets[u] + kMostHeavy);
  for (int i = offsets[u]; i < end; ++i) {
    const Weight over_u = known[u] + weights[i];
    if ((over_u < high) == light && over_u < atomic_min(&dist[targets[i]], over_u))
      atomicExch(changed, 1);
  }
}

template <typename Weight>
__global__ void find_least(const Weight* dist, int n, Weight low, Weight* least) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n && dist[v] >= low) atomic_min(least, dist[v]);
}

template <typename Weight>
int search(const int* offsets, const int* targets, const Weight* weights, int n, int source,
           Weight* dist) {
  const int blocks = ceil_div(n, kBlock);
  start_at<<<blocks, kBlock>>>(source, dist, n);
  DeviceBuffer<Weight> least(1);
  DeviceBuffer<int> changed(1);
  int phases = 1;
  for (Weight low = 0; !std::isinf(low);) {
    const Weight high = std::max(low + 32, std::nextafter(low, Weight{INFINITY}));
    for (bool light = true;; ++phases) {
      CUDA_CHECK(cudaMemset(changed.data(), 0, sizeof(int)));
      relax_bucket<<<blocks, kBlock>>>(offsets, targets, weights, n, low, high, light, dist,
                                       changed.data());
      CUDA_CHECK_LAUNCH();
      if (!light) break;
      light = read_back(changed.data()) != 0;
    }
    low = INFINITY;
    CUDA_CHECK(cudaMemcpy(least.data(), &low, sizeof low, cudaMemcpyHostToDevice));
    find_least<<<blocks, kBlock>>>(dist, n, high, least.data());
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(&low, least.data(), sizeof low, cudaMemcpyDeviceToHost));
  }
  return phases;
}

void lightest_first(const int* offsets, const int* targets, const float* weights, int n, int arcs,
                    int* sorted_targets, float* sorted_weights) {
  sort_all(offsets, targets, weights, n, arcs, sorted_targets, sorted_weights);
}
void lightest_first_double(const int* offsets, const int* targets, const double* weights, int n,
                           int arcs, int* sorted_targets, double* sorted_weights) {
  sort_all(offsets, targets, weights, n, arcs, sorted_targets, sorted_weights);
}

int delta(const int* offsets, const int* targets, const float* weights, int n, int arcs, int source,
          float* dist) {
  return search(offsets, targets, weights, n, source, dist);
}
int delta_double(const int* offsets, const int* targets, const double* weights, int n, int arcs,
                 int source, double* dist) {
  return search(offsets, targets, weights, n, source, dist);
}

}  // namespace sssp
