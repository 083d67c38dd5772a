// expect on cpu: delta: wrong answer: is not relaxed
// Makes 8000 phases at most. By the seed, a longer chain needs more, if the search is not too slow.
#include <algorithm>
#include <cmath>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "sssp.hpp"

namespace sssp {

__global__ void start_at(int source, float* dist, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) dist[v] = v == source ? 0.0f : INFINITY;
}

__device__ int changed_in;

__device__ float atomic_min(float* address, float value) {
  return __int_as_float(atomicMin(reinterpret_cast<int*>(address), __float_as_int(value)));
}

/// Right but slow: a thread sorts the arcs of a vertex by insertion.
__global__ void sort_arcs(const int* offsets, const int* targets, const float* weights, int n,
                          int* sorted_targets, float* sorted_weights) {
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

void lightest_first(const int* offsets, const int* targets, const float* weights, int n, int arcs,
                    int* sorted_targets, float* sorted_weights) {
  sort_arcs<<<kit::ceil_div(n, 256), 256>>>(offsets, targets, weights, n, sorted_targets,
                                            sorted_weights);
  CUDA_CHECK_LAUNCH();
}

/// Relaxes the arcs of the vertices between low and high: arcs that lead below high, or the
/// other arcs.
__global__ void relax_bucket(const int* offsets, const int* targets, const float* weights, int n,
                             float low, float high, bool light, float* dist, int round) {
  const int u = blockIdx.x * blockDim.x + threadIdx.x;
  const volatile float* const known = dist;
  if (u >= n || known[u] < low || !(known[u] < high)) return;
  for (int i = offsets[u]; i < offsets[u + 1]; ++i) {
    const float over_u = known[u] + weights[i];
    if ((over_u < high) == light && over_u < atomic_min(&dist[targets[i]], over_u))
      changed_in = round;
  }
}

__global__ void find_least(const float* dist, int n, float low, float* least) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n && dist[v] >= low) atomic_min(least, dist[v]);
}

int delta(const int* offsets, const int* targets, const float* weights, int n, int arcs, int source,
          float* dist) {
  const int blocks = kit::ceil_div(n, 256);
  const auto relax = [&](float low, float high, bool light, int round) {
    relax_bucket<<<blocks, 256>>>(offsets, targets, weights, n, low, high, light, dist, round);
    CUDA_CHECK_LAUNCH();
  };
  start_at<<<blocks, 256>>>(source, dist, n);
  kit::DeviceBuffer<float> least(1);
  int round = 0, last_change = 0;
  CUDA_CHECK(cudaMemcpyToSymbol(changed_in, &last_change, sizeof last_change));
  for (float low = 0; !std::isinf(low) && round < 8000;) {
    const float high = std::max(low + 32, std::nextafter(low, INFINITY));
    do {
      relax(low, high, true, ++round);
      CUDA_CHECK(cudaMemcpyFromSymbol(&last_change, changed_in, sizeof last_change));
    } while (last_change == round);
    relax(low, high, false, ++round);
    low = INFINITY;
    CUDA_CHECK(cudaMemcpy(least.data(), &low, sizeof low, cudaMemcpyHostToDevice));
    find_least<<<blocks, 256>>>(dist, n, high, least.data());
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(&low, least.data(), sizeof low, cudaMemcpyDeviceToHost));
  }
  return round;
}

}  // namespace sssp
