// expect on cpu: delta: wrong answer
// The heavy arcs of a finished bucket are relaxed from a list with room for 4096 vertices. Light
// arcs need no list, nor does a bucket that has more than a 16th of all vertices.
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
  if (v < n) dist[v] = v == source ? Weight{0} : Weight{INFINITY};
}

__device__ int changed_in;

__device__ float atomic_min(float* address, float value) {
  return __int_as_float(atomicMin(reinterpret_cast<int*>(address), __float_as_int(value)));
}
__device__ double atomic_min(double* address, double value) {
  return __longlong_as_double(
      atomicMin(reinterpret_cast<long long*>(address), __double_as_longlong(value)));
}

/// Right but slow: a thread sorts the arcs of a vertex by insertion. On a GPU a hub's take too long.
template <typename Weight>
__global__ void sort_arcs(const int* offsets, const int* targets, const Weight* weights, int n,
                          int* sorted_targets, Weight* sorted_weights) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  for (int i = offsets[v]; i < offsets[v + 1]; ++i) {
    int place = i;
    for (; place > offsets[v] && sorted_weights[place - 1] > weights[i]; --place) {
      sorted_weights[place] = sorted_weights[place - 1];
      sorted_targets[place] = sorted_targets[place - 1];
    }
    sorted_weights[place] = weights[i];
    sorted_targets[place] = targets[i];
  }
}

template <typename Weight>
void sort_all(const int* offsets, const int* targets, const Weight* weights, int n, int arcs,
              int* sorted_targets, Weight* sorted_weights) {
  sort_arcs<<<kit::ceil_div(n, 256), 256>>>(offsets, targets, weights, n, sorted_targets,
                                            sorted_weights);
  CUDA_CHECK_LAUNCH();
}

/// Relaxes the arcs of the vertices between low and high that lead below high.
template <typename Weight>
__global__ void relax_light(const int* offsets, const int* targets, const Weight* weights, int n,
                            Weight low, Weight high, Weight* dist, int round) {
  const int u = blockIdx.x * blockDim.x + threadIdx.x;
  const volatile Weight* const known = dist;
  if (u >= n || known[u] < low || !(known[u] < high)) return;
  for (int i = offsets[u]; i < offsets[u + 1]; ++i) {
    const Weight over_u = known[u] + weights[i];
    if (over_u < high && over_u < atomic_min(&dist[targets[i]], over_u)) changed_in = round;
  }
}

constexpr int kRoom = 4096;
__device__ int listed[kRoom], found;

template <typename Weight>
__global__ void list_bucket(const Weight* dist, int n, Weight low, Weight high) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || dist[v] < low || !(dist[v] < high)) return;
  const int place = atomicAdd(&found, 1);
  if (place < kRoom) listed[place] = v;
}

/// Relaxes all arcs of the vertices between low and high, or of those in the list.
template <typename Weight>
__global__ void relax_all(const int* offsets, const int* targets, const Weight* weights, int n,
                          Weight low, Weight high, bool by_list, Weight* dist) {
  const int place = blockIdx.x * blockDim.x + threadIdx.x;
  if (place >= (by_list ? min(found, kRoom) : n)) return;
  const volatile Weight* const known = dist;
  const int u = by_list ? listed[place] : place;
  if (known[u] < low || !(known[u] < high)) return;
  for (int i = offsets[u]; i < offsets[u + 1]; ++i)
    atomic_min(&dist[targets[i]], known[u] + weights[i]);
}

template <typename Weight>
__global__ void find_least(const Weight* dist, int n, Weight low, Weight* least) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n && dist[v] >= low) atomic_min(least, dist[v]);
}

template <typename Weight>
int search(const int* offsets, const int* targets, const Weight* weights, int n, int arcs,
           int source, Weight* dist) {
  const int blocks = kit::ceil_div(n, 256);
  start_at<<<blocks, 256>>>(source, dist, n);
  kit::DeviceBuffer<Weight> least(1);
  int round = 0, last_change = 0;
  CUDA_CHECK(cudaMemcpyToSymbol(changed_in, &last_change, sizeof last_change));
  for (Weight low = 0; !std::isinf(low);) {
    const Weight high = std::max<Weight>(low + 32, std::nextafter(low, Weight{INFINITY}));
    do {
      relax_light<<<blocks, 256>>>(offsets, targets, weights, n, low, high, dist, ++round);
      CUDA_CHECK_LAUNCH();
      CUDA_CHECK(cudaMemcpyFromSymbol(&last_change, changed_in, sizeof last_change));
    } while (last_change == round);
    int size = 0;
    CUDA_CHECK(cudaMemcpyToSymbol(found, &size, sizeof size));
    list_bucket<<<blocks, 256>>>(dist, n, low, high);
    CUDA_CHECK(cudaMemcpyFromSymbol(&size, found, sizeof size));
    relax_all<<<blocks, 256>>>(offsets, targets, weights, n, low, high, size <= n / 16, dist);
    CUDA_CHECK_LAUNCH();
    low = INFINITY;
    CUDA_CHECK(cudaMemcpy(least.data(), &low, sizeof low, cudaMemcpyHostToDevice));
    find_least<<<blocks, 256>>>(dist, n, high, least.data());
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(&low, least.data(), sizeof low, cudaMemcpyDeviceToHost));
  }
  return round;
}

void lightest_first(const int* offsets, const int* targets, const float* weights, int n, int arcs,
                    int* sorted_targets, float* sorted_weights) {
  sort_all(offsets, targets, weights, n, arcs, sorted_targets, sorted_weights);
}
int delta(const int* offsets, const int* targets, const float* weights, int n, int arcs, int source,
          float* dist) {
  return search(offsets, targets, weights, n, arcs, source, dist);
}
void lightest_first_double(const int* offsets, const int* targets, const double* weights, int n,
                           int arcs, int* sorted_targets, double* sorted_weights) {
  sort_all(offsets, targets, weights, n, arcs, sorted_targets, sorted_weights);
}
int delta_double(const int* offsets, const int* targets, const double* weights, int n, int arcs,
                 int source, double* dist) {
  return search(offsets, targets, weights, n, arcs, source, dist);
}

}  // namespace sssp
