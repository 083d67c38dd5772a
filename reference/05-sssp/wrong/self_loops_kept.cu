// expect: edges: wrote outside: start[0]
// Keeps a self-loop as an edge. There is no room for it, because it cannot shorten any path.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "sssp.hpp"

namespace sssp {

__global__ void copy_edges(const int* offsets, const int* targets, const float* weights, int n,
                           int* count, int* start, int* end, float* weight) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  for (int i = offsets[v]; i < offsets[v + 1]; ++i) {
    if (targets[i] < v) continue;
    const int place = atomicAdd(count, 1);
    start[place] = v;
    end[place] = targets[i];
    weight[place] = weights[i];
  }
}

int edges(const int* offsets, const int* targets, const float* weights, int n, int arcs, int* start,
          int* end, float* weight) {
  kit::DeviceBuffer<int> count(1);
  CUDA_CHECK(cudaMemset(count.data(), 0, sizeof(int)));
  copy_edges<<<kit::ceil_div(n, 256), 256>>>(offsets, targets, weights, n, count.data(), start, end,
                                             weight);
  CUDA_CHECK_LAUNCH();
  int edges = 0;
  CUDA_CHECK(cudaMemcpy(&edges, count.data(), sizeof edges, cudaMemcpyDeviceToHost));
  return edges;
}

}  // namespace sssp
