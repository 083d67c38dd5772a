// expect: delta: wrong answer: not in order
// Compares weights of type double by their upper words, then by the lower ones with a sign.
#include <algorithm>
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

__device__ float atomic_min(float* address, float value) {
  return __int_as_float(atomicMin(reinterpret_cast<int*>(address), __float_as_int(value)));
}
__device__ double atomic_min(double* address, double value) {
  return __longlong_as_double(
      atomicMin(reinterpret_cast<long long*>(address), __double_as_longlong(value)));
}

__device__ bool is_less(float a, float b) { return a < b; }
__device__ bool is_less(double a, double b) {
  const int high = __double2hiint(a), other = __double2hiint(b);
  return high != other ? high < other : __double2loint(a) < __double2loint(b);
}

// A warp sorts the arcs of a vertex by a bitonic network: one thread alone takes too long for a hub.
template <typename Weight>
__global__ void sort_arcs(const int* offsets, int n, int* targets, Weight* weights) {
  const int v = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (v >= n) return;
  const int begin = offsets[v], end = offsets[v + 1];
  for (int size = 2; size < 2 * (end - begin); size *= 2)
    for (int apart = size / 2; apart > 0; apart /= 2) {
      const int partners = apart == size / 2 ? size - 1 : apart;
      __syncwarp();
      for (int a = begin + lane; a < end; a += 32) {
        const int b = begin + ((a - begin) ^ partners);
        if (b < a || b >= end) continue;
        const Weight first = weights[a], second = weights[b];
        if (!is_less(second, first)) continue;
        weights[a] = second, weights[b] = first;
        const int target = targets[a];
        targets[a] = targets[b], targets[b] = target;
      }
    }
}

template <typename Weight>
void copy_and_sort(const int* offsets, const int* targets, const Weight* weights, int n, int arcs,
                   int* sorted_targets, Weight* sorted_weights) {
  if (arcs == 0) return;
  CUDA_CHECK(cudaMemcpyAsync(sorted_targets, targets, arcs * sizeof(int), cudaMemcpyDefault));
  CUDA_CHECK(cudaMemcpyAsync(sorted_weights, weights, arcs * sizeof(Weight), cudaMemcpyDefault));
  sort_arcs<<<kit::ceil_div(n, 8), 256>>>(offsets, n, sorted_targets, sorted_weights);
  CUDA_CHECK_LAUNCH();
}

void lightest_first(const int* offsets, const int* targets, const float* weights, int n, int arcs,
                    int* sorted_targets, float* sorted_weights) {
  copy_and_sort(offsets, targets, weights, n, arcs, sorted_targets, sorted_weights);
}
void lightest_first_double(const int* offsets, const int* targets, const double* weights, int n,
                           int arcs, int* sorted_targets, double* sorted_weights) {
  copy_and_sort(offsets, targets, weights, n, arcs, sorted_targets, sorted_weights);
}

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

template <typename Weight>
__global__ void find_least(const Weight* dist, int n, Weight low, Weight* least) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n && dist[v] >= low) atomic_min(least, dist[v]);
}

template <typename Weight>
int search(const int* offsets, const int* targets, const Weight* weights, int n, int source,
           Weight* dist) {
  const int blocks = kit::ceil_div(n, 256);
  start_at<<<blocks, 256>>>(source, dist, n);
  kit::DeviceBuffer<Weight> least(1);
  kit::DeviceBuffer<int> changed(1);
  int phases = 0;
  for (Weight low = 0; !std::isinf(low);) {
    const Weight high = std::max(low + 32, std::nextafter(low, static_cast<Weight>(INFINITY)));
    const auto relax = [&](bool light) {
      CUDA_CHECK(cudaMemset(changed.data(), 0, sizeof(int)));
      relax_bucket<<<blocks, 256>>>(offsets, targets, weights, n, low, high, light, dist,
                                    changed.data());
      CUDA_CHECK_LAUNCH();
      ++phases;
      return kit::read_back(changed.data()) != 0;
    };
    while (relax(true)) {}
    relax(false);
    const Weight none = INFINITY;
    CUDA_CHECK(cudaMemcpy(least.data(), &none, sizeof none, cudaMemcpyHostToDevice));
    find_least<<<blocks, 256>>>(dist, n, high, least.data());
    CUDA_CHECK_LAUNCH();
    low = kit::read_back(least.data());
  }
  return phases;
}

int delta(const int* offsets, const int* targets, const float* weights, int n, int, int source,
          float* dist) {
  return search(offsets, targets, weights, n, source, dist);
}
int delta_double(const int* offsets, const int* targets, const double* weights, int n, int,
                 int source, double* dist) {
  return search(offsets, targets, weights, n, source, dist);
}

}  // namespace sssp
