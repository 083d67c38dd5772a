// expect: edges: wrong answer: edge
// The right edges, each at a random place: threads do not run in the order of the CSR.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "sssp.hpp"

namespace sssp {

__global__ void copy_edges(const int* offsets, const int* targets, const float* weights, int n,
                           int* count, int* start, int* end, float* weight) {
  for (int v = threadIdx.x; v < n; v += blockDim.x)
    for (int i = offsets[v]; i < offsets[v + 1]; ++i) {
      if (!(targets[i] > v)) continue;
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
  copy_edges<<<1, 64>>>(offsets, targets, weights, n, count.data(), start, end, weight);
  CUDA_CHECK_LAUNCH();
  int edges = 0;
  CUDA_CHECK(cudaMemcpy(&edges, count.data(), sizeof edges, cudaMemcpyDeviceToHost));
  return edges;
}

}  // namespace sssp
