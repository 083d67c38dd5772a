// expect: delta: wrong answer
// A vertex that looks for its nearest neighbour looks at the lightest 4096 of its arcs. Few vertices
// push, so that a large hub has to look only where many came closer at once.
#include <cmath>
#include <utility>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "sssp.hpp"

namespace sssp {
namespace {

__device__ float lower(float* address, float value) {
  return __int_as_float(atomicMin(reinterpret_cast<int*>(address), __float_as_int(value)));
}
__device__ double lower(double* address, double value) {
  return __longlong_as_double(
      atomicMin(reinterpret_cast<long long*>(address), __double_as_longlong(value)));
}

template <typename Weight>
__device__ Weight distance(const Weight* dist, int v) {
  return *static_cast<const volatile Weight*>(dist + v);
}

template <typename Weight>
__global__ void start_at(int source, int n, Weight* dist, int* changed) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  dist[v] = v == source ? Weight{0} : static_cast<Weight>(INFINITY);
  changed[v] = v == source;
}

/// Vertex v came closer in this round.
__device__ void tell(int v, int* changed, int* count) {
  if (atomicExch(&changed[v], 1) == 0) atomicAdd(count, 1);
}

template <typename Weight>
__global__ void push(const int* offsets, const int* targets, const Weight* weights, int n,
                     Weight* dist, int* changed, int* next, int* count) {
  const int u = blockIdx.x * blockDim.x + threadIdx.x;
  if (u >= n || !changed[u]) return;
  changed[u] = 0;
  const Weight to_u = distance(dist, u);
  for (int i = offsets[u]; i < offsets[u + 1]; ++i)
    if (to_u + weights[i] < lower(&dist[targets[i]], to_u + weights[i]))
      tell(targets[i], next, count);
}

template <typename Weight>
__global__ void pull(const int* offsets, const int* targets, const Weight* weights, int n,
                     Weight* dist, int* changed, int* next, int* count) {
  constexpr int kMostArcs = 4096;
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  changed[v] = 0;
  Weight best = distance(dist, v);
  const Weight known = best;
  for (int i = offsets[v]; i < min(offsets[v + 1], offsets[v] + kMostArcs); ++i)
    best = min(best, distance(dist, targets[i]) + weights[i]);
  if (!(best < known)) return;
  lower(&dist[v], best);
  tell(v, next, count);
}

/// A warp sorts the arcs of a vertex: each finds its rank.
template <typename Weight>
__global__ void sort_arcs(const int* offsets, const int* targets, const Weight* weights, int n,
                          int* sorted_targets, Weight* sorted_weights) {
  const int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (v >= n) return;
  for (int a = offsets[v] + threadIdx.x % 32; a < offsets[v + 1]; a += 32) {
    int rank = offsets[v];
    for (int b = offsets[v]; b < offsets[v + 1]; ++b)
      rank += weights[b] < weights[a] || (weights[b] == weights[a] && b < a);
    sorted_targets[rank] = targets[a];
    sorted_weights[rank] = weights[a];
  }
}

template <typename Weight>
int search(const int* offsets, const int* targets, const Weight* weights, int n, int source,
           Weight* dist) {
  kit::DeviceBuffer<int> first(n), second(n), count(1);
  int *now = first.data(), *next = second.data();
  const int blocks = kit::ceil_div(n, 256);
  CUDA_CHECK(cudaMemset(next, 0, n * sizeof(int)));
  start_at<<<blocks, 256>>>(source, n, dist, now);
  int phases = 0;
  for (int changed = 1; changed > 0; ++phases, std::swap(now, next)) {
    CUDA_CHECK(cudaMemset(count.data(), 0, sizeof(int)));
    const auto round = changed > n / 16 ? pull<Weight> : push<Weight>;
    round<<<blocks, 256>>>(offsets, targets, weights, n, dist, now, next, count.data());
    CUDA_CHECK_LAUNCH();
    changed = kit::read_back(count.data());
  }
  return phases;
}

template <typename Weight>
void sort(const int* offsets, const int* targets, const Weight* weights, int n, int arcs,
          int* sorted_targets, Weight* sorted_weights) {
  if (arcs == 0) return;
  sort_arcs<<<kit::ceil_div(n, 8), 256>>>(offsets, targets, weights, n, sorted_targets,
                                          sorted_weights);
  CUDA_CHECK_LAUNCH();
}

}  // namespace

void lightest_first(const int* offsets, const int* targets, const float* weights, int n, int arcs,
                    int* sorted_targets, float* sorted_weights) {
  sort(offsets, targets, weights, n, arcs, sorted_targets, sorted_weights);
}
void lightest_first_double(const int* offsets, const int* targets, const double* weights, int n,
                           int arcs, int* sorted_targets, double* sorted_weights) {
  sort(offsets, targets, weights, n, arcs, sorted_targets, sorted_weights);
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
