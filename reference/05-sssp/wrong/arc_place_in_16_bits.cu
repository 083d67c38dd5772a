// expect: delta: wrong answer: does not belong there
// The place of an arc among those of its vertex in 16 bits: in a large hub two arcs get one place.
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
__global__ void rank_arcs(const int* offsets, const int* targets, const Weight* weights, int n,
                          int arcs, int* sorted_targets, Weight* sorted_weights) {
  const int arc = blockIdx.x * blockDim.x + threadIdx.x;
  if (arc >= arcs) return;
  int low = 0, high = n;  // the vertex: the last whose arcs begin at or before this one
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (offsets[middle] <= arc ? low : high) = middle;
  }
  unsigned short place = 0;
  for (int i = offsets[low]; i < offsets[low + 1]; ++i)
    place += weights[i] < weights[arc] || (weights[i] == weights[arc] && i < arc);
  sorted_targets[offsets[low] + place] = targets[arc];
  sorted_weights[offsets[low] + place] = weights[arc];
}

template <typename Weight>
void sort_arcs(const int* offsets, const int* targets, const Weight* weights, int n, int arcs,
               int* sorted_targets, Weight* sorted_weights) {
  if (arcs == 0) return;
  rank_arcs<<<kit::ceil_div(arcs, 256), 256>>>(offsets, targets, weights, n, arcs, sorted_targets,
                                               sorted_weights);
  CUDA_CHECK_LAUNCH();
}

void lightest_first(const int* offsets, const int* targets, const float* weights, int n, int arcs,
                    int* sorted_targets, float* sorted_weights) {
  sort_arcs(offsets, targets, weights, n, arcs, sorted_targets, sorted_weights);
}
void lightest_first_double(const int* offsets, const int* targets, const double* weights, int n,
                           int arcs, int* sorted_targets, double* sorted_weights) {
  sort_arcs(offsets, targets, weights, n, arcs, sorted_targets, sorted_weights);
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
