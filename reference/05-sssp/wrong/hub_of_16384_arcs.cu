// expect: delta: wrong answer: not in order
// Sorts no more than 16,384 arcs of a vertex.
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

template <typename Weight>
__global__ void sort_arcs(const int* offsets, const int* targets, const Weight* weights, int n,
                          int* sorted_targets, Weight* sorted_weights) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  for (int i = offsets[v]; i < offsets[v + 1]; ++i) {
    int place = i;
    for (; place > offsets[v] && sorted_weights[place - 1] > weights[i]; --place) {
      if ((place - offsets[v]) % 16384 == 0) break;
      sorted_weights[place] = sorted_weights[place - 1];
      sorted_targets[place] = sorted_targets[place - 1];
    }
    sorted_weights[place] = weights[i];
    sorted_targets[place] = targets[i];
  }
}

void lightest_first(const int* offsets, const int* targets, const float* weights, int n, int,
                    int* sorted_targets, float* sorted_weights) {
  sort_arcs<<<kit::ceil_div(n, 256), 256>>>(offsets, targets, weights, n, sorted_targets,
                                            sorted_weights);
  CUDA_CHECK_LAUNCH();
}
void lightest_first_double(const int* offsets, const int* targets, const double* weights, int n,
                           int, int* sorted_targets, double* sorted_weights) {
  sort_arcs<<<kit::ceil_div(n, 256), 256>>>(offsets, targets, weights, n, sorted_targets,
                                            sorted_weights);
  CUDA_CHECK_LAUNCH();
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
