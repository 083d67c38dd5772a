// expect: delta: wrong answer
// Where a bucket is empty, the next begins at the least distance beyond it. A vertex at the very
// bound is in neither of them.
#include <algorithm>
#include <cmath>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "sssp.hpp"
#include "warp.hpp"

namespace sssp {

using namespace kit;

constexpr int kBlock = 256;

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
  for (int i = offsets[u]; i < offsets[u + 1]; ++i) {
    const Weight over_u = known[u] + weights[i];
    if ((over_u < high) == light && over_u < atomic_min(&dist[targets[i]], over_u))
      atomicExch(changed, 1);
  }
}

/// The mean weight, from a sample, over the mean degree. One warp.
template <typename Weight>
__global__ void find_width(const Weight* weights, int n, int arcs, Weight* width) {
  const int lane = threadIdx.x;
  const Weight part = weights[static_cast<long long>(lane) * arcs / kWarp] / kWarp;
  const Weight mean = over_lanes(part, [](Weight a, Weight b) { return a + b; });
  if (lane == 0) *width = mean * static_cast<Weight>(static_cast<double>(n) / arcs);
}

/// Whether any vertex is in the bucket, and the least distance beyond it.
template <typename Weight>
__global__ void look(const Weight* dist, int n, Weight low, Weight high, int* any, Weight* least) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || dist[v] < low) return;
  if (dist[v] < high) atomicExch(any, 1);
  if (dist[v] > high) atomic_min(least, dist[v]);
}

template <typename Weight>
int search(const int* offsets, const int* targets, const Weight* weights, int n, int arcs,
           int source, Weight* dist) {
  const int blocks = ceil_div(n, kBlock);
  start_at<<<blocks, kBlock>>>(source, dist, n);
  if (arcs == 0) return 1;
  DeviceBuffer<Weight> number(1);
  DeviceBuffer<int> flag(1);
  find_width<<<1, kWarp>>>(weights, n, arcs, number.data());
  const Weight width = read_back(number.data()), infinity = INFINITY;
  int phases = 1;
  for (Weight low = 0; !std::isinf(low); ++phases) {
    const Weight high = std::max(low + width, std::nextafter(low, infinity));
    CUDA_CHECK(cudaMemset(flag.data(), 0, sizeof(int)));
    CUDA_CHECK(cudaMemcpy(number.data(), &infinity, sizeof infinity, cudaMemcpyHostToDevice));
    look<<<blocks, kBlock>>>(dist, n, low, high, flag.data(), number.data());
    CUDA_CHECK_LAUNCH();
    if (read_back(flag.data()) == 0) {
      low = read_back(number.data());
      continue;
    }
    for (bool light = true;; ++phases) {
      CUDA_CHECK(cudaMemset(flag.data(), 0, sizeof(int)));
      relax_bucket<<<blocks, kBlock>>>(offsets, targets, weights, n, low, high, light, dist,
                                       flag.data());
      CUDA_CHECK_LAUNCH();
      if (!light) break;
      light = read_back(flag.data()) != 0;
    }
    low = high;
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
  return search(offsets, targets, weights, n, arcs, source, dist);
}
int delta_double(const int* offsets, const int* targets, const double* weights, int n, int arcs,
                 int source, double* dist) {
  return search(offsets, targets, weights, n, arcs, source, dist);
}

}  // namespace sssp
