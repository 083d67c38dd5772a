// expect on cpu: frontier: race: right in order
// Compares with rounds that were never written: whether a vertex is pushed in a round depends on
// what the memory held before.
#include <utility>

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

struct List {
  int* vertices;
  int* count;
};

template <typename Weight>
__global__ void relax_list(const int* offsets, const int* targets, const Weight* weights,
                           const int* vertices, int count, Weight* dist, int round,
                           int* pushed_in, List next) {
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
int search(const int* offsets, const int* targets, const Weight* weights, int n, int source,
           Weight* dist) {
  start_at<<<kit::ceil_div(n, 256), 256>>>(source, dist, n);
  kit::DeviceBuffer<int> pushed_in(n), first(n), second(n), counts(2);
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

int frontier(const int* offsets, const int* targets, const float* weights, int n, int,
             int source, float* dist) {
  return search(offsets, targets, weights, n, source, dist);
}
int frontier_double(const int* offsets, const int* targets, const double* weights, int n, int,
                    int source, double* dist) {
  return search(offsets, targets, weights, n, source, dist);
}

}  // namespace sssp
