// expect: frontier: wrong answer: its path ends with the edge
// In a large graph a thread sets two distances. The last of an odd number is set apart, and is
// never taken for the source's.
#include <utility>

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

__device__ float atomic_min(float* address, float value) {
  return __int_as_float(atomicMin(reinterpret_cast<int*>(address), __float_as_int(value)));
}
__device__ double atomic_min(double* address, double value) {
  return __longlong_as_double(
      atomicMin(reinterpret_cast<long long*>(address), __double_as_longlong(value)));
}

struct List {
  int* vertices;
  int* count;
};

template <typename Weight>
__global__ void relax_list(const int* offsets, const int* targets, const Weight* weights,
                           const int* vertices, int count, Weight* dist, int round, int* pushed_in,
                           List next) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const volatile Weight* const known = dist;
  const int u = vertices[i];
  for (int arc = offsets[u]; arc < offsets[u + 1]; ++arc) {
    const int v = targets[arc];
    const Weight over_u = known[u] + weights[arc];
    if (over_u < known[v] && over_u < atomic_min(&dist[v], over_u) &&
        atomicExch(&pushed_in[v], round) != round)
      next.vertices[atomicAdd(next.count, 1)] = v;
  }
}

template <typename Weight>
struct alignas(2 * sizeof(Weight)) Two {
  Weight first, second;
};

/// For threads 0 ... n / 2, each with a pair; the last has one distance or none.
template <typename Weight>
__global__ void start_pairs(int source, Weight* dist, int n) {
  const int pair = blockIdx.x * blockDim.x + threadIdx.x, v = 2 * pair;
  const auto start = [=](int w) { return w == source ? Weight{0} : Weight{INFINITY}; };
  if (v + 1 < n) reinterpret_cast<Two<Weight>*>(dist)[pair] = {start(v), start(v + 1)};
  if (v + 1 == n) dist[v] = INFINITY;
}

template <typename Weight>
int search(const int* offsets, const int* targets, const Weight* weights, int n, int arcs,
           int source, Weight* dist) {
  if (n <= 512)
    start_at<<<1, 512>>>(source, dist, n);
  else
    start_pairs<<<kit::ceil_div(n / 2 + 1, 256), 256>>>(source, dist, n);
  kit::DeviceBuffer<int> pushed_in(n), first(n), second(n), counts(2);
  CUDA_CHECK(cudaMemset(pushed_in.data(), 0, n * sizeof(int)));
  List now = {first.data(), counts.data()}, next = {second.data(), counts.data() + 1};
  CUDA_CHECK(cudaMemcpy(now.vertices, &source, sizeof source, cudaMemcpyHostToDevice));
  int count = 1;
  for (int round = 1;; ++round) {
    CUDA_CHECK(cudaMemset(next.count, 0, sizeof(int)));
    relax_list<<<kit::ceil_div(count, 256), 256>>>(offsets, targets, weights, now.vertices, count,
                                                   dist, round, pushed_in.data(), next);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(&count, next.count, sizeof count, cudaMemcpyDeviceToHost));
    if (count == 0) return round;
    std::swap(now, next);
  }
}

int frontier(const int* offsets, const int* targets, const float* weights, int n, int arcs,
             int source, float* dist) {
  return search(offsets, targets, weights, n, arcs, source, dist);
}
int frontier_double(const int* offsets, const int* targets, const double* weights, int n, int arcs,
                    int source, double* dist) {
  return search(offsets, targets, weights, n, arcs, source, dist);
}

}  // namespace sssp
