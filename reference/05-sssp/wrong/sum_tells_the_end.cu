// expect: relax: wrong answer
// The host ends when a sweep has changed neither the sum of the distances nor the number of those
// that are finite: a small change is lost in a sum of floats.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "sssp.hpp"

namespace sssp {

template <typename Weight>
__global__ void start_at(int source, Weight* dist, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) dist[v] = v == source ? Weight{0} : static_cast<Weight>(INFINITY);
}

template <typename Weight>
__global__ void relax_edges(const int* start, const int* end, const Weight* weight, int edges,
                            Weight* dist) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const int u = start[e], v = end[e];
  const Weight w = weight[e], to_u = dist[u], to_v = dist[v];
  if (to_v + w < to_u) {
    dist[u] = to_v + w;
  } else if (to_u + w < to_v) {
    dist[v] = to_u + w;
  }
}

/// One block: each thread adds up its part, the others' in shared memory.
template <typename Weight>
__global__ void sum_up(const Weight* dist, int n, Weight* sum, int* reached) {
  __shared__ Weight part[256];
  __shared__ int finite[256];
  const int t = threadIdx.x;
  Weight mine = 0;
  int count = 0;
  for (int v = t; v < n; v += 256)
    if (dist[v] < static_cast<Weight>(INFINITY)) {
      mine += dist[v];
      ++count;
    }
  part[t] = mine;
  finite[t] = count;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) {
      part[t] += part[t + half];
      finite[t] += finite[t + half];
    }
  }
  if (t == 0) {
    *sum = part[0];
    *reached = finite[0];
  }
}

template <typename Weight>
int search(const int* start, const int* end, const Weight* weight, int edges, int n, int source,
           Weight* dist) {
  start_at<<<kit::ceil_div(n, 256), 256>>>(source, dist, n);
  CUDA_CHECK_LAUNCH();
  if (edges == 0) return 1;
  Weight* sum;
  int* reached;
  CUDA_CHECK(cudaMalloc(&sum, sizeof *sum));
  CUDA_CHECK(cudaMalloc(&reached, sizeof *reached));
  Weight last_sum = 0;
  int last_reached = 1, sweep = 0;
  for (;;) {
    ++sweep;
    relax_edges<<<kit::ceil_div(edges, 256), 256>>>(start, end, weight, edges, dist);
    sum_up<<<1, 256>>>(dist, n, sum, reached);
    CUDA_CHECK_LAUNCH();
    Weight new_sum;
    int new_reached;
    CUDA_CHECK(cudaMemcpy(&new_sum, sum, sizeof new_sum, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(&new_reached, reached, sizeof new_reached, cudaMemcpyDeviceToHost));
    if (new_sum == last_sum && new_reached == last_reached) break;
    last_sum = new_sum;
    last_reached = new_reached;
  }
  CUDA_CHECK(cudaFree(sum));
  CUDA_CHECK(cudaFree(reached));
  return sweep;
}

int relax(const int* start, const int* end, const float* weight, int edges, int n, int source,
          float* dist) {
  return search(start, end, weight, edges, n, source, dist);
}
int relax_double(const int* start, const int* end, const double* weight, int edges, int n,
                 int source, double* dist) {
  return search(start, end, weight, edges, n, source, dist);
}

}  // namespace sssp
