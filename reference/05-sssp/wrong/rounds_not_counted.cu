// expect: frontier: wrong answer: returned
// Every round looks at all vertices, and the number returned is the largest that is allowed.
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
__global__ void relax_all(const int* offsets, const int* targets, const Weight* weights, int n,
                          Weight* dist, int* changed) {
  const int u = blockIdx.x * blockDim.x + threadIdx.x;
  if (u >= n) return;
  const Weight to_u = *static_cast<volatile Weight*>(dist + u);
  for (int arc = offsets[u]; arc < offsets[u + 1]; ++arc) {
    const Weight over_u = to_u + weights[arc];
    if (over_u < atomic_min(&dist[targets[arc]], over_u)) atomicExch(changed, 1);
  }
}

template <typename Weight>
int search(const int* offsets, const int* targets, const Weight* weights, int n, int source,
           Weight* dist) {
  start_at<<<kit::ceil_div(n, 256), 256>>>(source, dist, n);
  kit::DeviceBuffer<int> changed(1);
  for (int round = 1;; ++round) {
    CUDA_CHECK(cudaMemset(changed.data(), 0, sizeof(int)));
    relax_all<<<kit::ceil_div(n, 256), 256>>>(offsets, targets, weights, n, dist, changed.data());
    CUDA_CHECK_LAUNCH();
    if (kit::read_back(changed.data()) == 0) return n;
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
