// expect on cpu: atomic: wrong answer: count every sweep
// In each sweep a thread relaxes its edges twice.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "sssp.hpp"

namespace sssp {

template <typename Weight>
__global__ void start_at(int source, Weight* dist, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) dist[v] = v == source ? Weight{0} : static_cast<Weight>(INFINITY);
}

__device__ int changed_in;

__device__ float atomic_min(float* address, float value) {
  return __int_as_float(atomicMin(reinterpret_cast<int*>(address), __float_as_int(value)));
}
__device__ double atomic_min(double* address, double value) {
  return __longlong_as_double(
      atomicMin(reinterpret_cast<long long*>(address), __double_as_longlong(value)));
}

template <typename Weight>
__device__ bool relax_one(int u, int v, Weight w, Weight* dist) {
  const volatile Weight* const read = dist;
  const Weight to_u = read[u], to_v = read[v];
  if (to_v + w < to_u) return to_v + w < atomic_min(&dist[u], to_v + w);
  if (to_u + w < to_v) return to_u + w < atomic_min(&dist[v], to_u + w);
  return false;
}

// Where all threads of a block read at the same time, as on a GPU, a distance gets no farther by this than in
// one sweep in which they follow one another.
template <typename Weight>
__global__ void relax_twice(const int* start, const int* end, const Weight* weight, int edges,
                            Weight* dist, int sweep) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  bool changed = e < edges && relax_one(start[e], end[e], weight[e], dist);
  __syncthreads();
  changed |= e < edges && relax_one(start[e], end[e], weight[e], dist);
  if (changed) atomicExch(&changed_in, sweep);
}

template <typename Weight>
int search(const int* start, const int* end, const Weight* weight, int edges, int n, int source,
           Weight* dist) {
  start_at<<<kit::ceil_div(n, 256), 256>>>(source, dist, n);
  CUDA_CHECK_LAUNCH();
  if (edges == 0) return 1;
  int last_change = 0;
  CUDA_CHECK(cudaMemcpyToSymbol(changed_in, &last_change, sizeof last_change));
  for (int sweep = 1;; ++sweep) {
    const int blocks = kit::ceil_div(edges, 256);
    relax_twice<<<blocks, 256>>>(start, end, weight, edges, dist, sweep);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpyFromSymbol(&last_change, changed_in, sizeof last_change));
    if (last_change != sweep) return sweep;
  }
}

int atomic(const int* start, const int* end, const float* weight, int edges, int n, int source,
           float* dist) {
  return search(start, end, weight, edges, n, source, dist);
}
int atomic_double(const int* start, const int* end, const double* weight, int edges, int n,
                  int source, double* dist) {
  return search(start, end, weight, edges, n, source, dist);
}

}  // namespace sssp
