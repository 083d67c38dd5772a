// expect: frontier: wrong answer: should be
// A block's queue has room for 512 vertices. What comes after them is lost: no matter, if they are leaves.
#include <utility>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "sssp.hpp"

namespace sssp {

__global__ void start_at(int source, float* dist, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) dist[v] = v == source ? 0.0f : INFINITY;
}

__device__ float atomic_min(float* address, float value) {
  return __int_as_float(atomicMin(reinterpret_cast<int*>(address), __float_as_int(value)));
}

struct List {
  int* vertices;
  int* count;
};

constexpr int kRoom = 512, kWarps = 4;

/// A warp for each vertex; a block collects what came closer, and appends it to the list at once.
__global__ void relax_list(const int* offsets, const int* targets, const float* weights,
                           const int* vertices, int count, float* dist, int round, int* pushed_in,
                           List next) {
  __shared__ int queue[kRoom], used, first;
  if (threadIdx.x == 0) used = 0;
  __syncthreads();
  const volatile float* const known = dist;
  const int i = blockIdx.x * kWarps + threadIdx.x / 32;
  const int u = vertices[min(i, count - 1)];
  for (int arc = offsets[u] + threadIdx.x % 32; i < count && arc < offsets[u + 1]; arc += 32) {
    const int v = targets[arc];
    const float over_u = known[u] + weights[arc];
    if (!(over_u < known[v]) || !(over_u < atomic_min(&dist[v], over_u)) ||
        atomicExch(&pushed_in[v], round) == round)
      continue;
    const int place = atomicAdd(&used, 1);
    if (place < kRoom) queue[place] = v;
  }
  __syncthreads();
  const int kept = min(used, kRoom);
  if (threadIdx.x == 0) first = atomicAdd(next.count, kept);
  __syncthreads();
  for (int k = threadIdx.x; k < kept; k += blockDim.x) next.vertices[first + k] = queue[k];
}

int frontier(const int* offsets, const int* targets, const float* weights, int n, int arcs,
             int source, float* dist) {
  start_at<<<kit::ceil_div(n, 256), 256>>>(source, dist, n);
  kit::DeviceBuffer<int> pushed_in(n), first(n), second(n), counts(2);
  CUDA_CHECK(cudaMemset(pushed_in.data(), 0, n * sizeof(int)));
  List now = {first.data(), counts.data()}, next = {second.data(), counts.data() + 1};
  CUDA_CHECK(cudaMemcpy(now.vertices, &source, sizeof source, cudaMemcpyHostToDevice));
  int count = 1;
  for (int round = 1;; ++round) {
    CUDA_CHECK(cudaMemset(next.count, 0, sizeof(int)));
    relax_list<<<kit::ceil_div(count, kWarps), 32 * kWarps>>>(
        offsets, targets, weights, now.vertices, count, dist, round, pushed_in.data(), next);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(&count, next.count, sizeof count, cudaMemcpyDeviceToHost));
    if (count == 0) return round;
    std::swap(now, next);
  }
}

}  // namespace sssp
