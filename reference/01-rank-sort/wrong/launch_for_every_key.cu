// expect: global: wrong answer: launches
// One launch ranks one key: right, but what launches leave on the host could bring the keys there.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__global__ void count(const float* in, int n, int i, int* rank) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < n && in[j] < in[i]) atomicAdd(rank, 1);
}

__global__ void store(const float* in, float* out, int i, int* rank) {
  out[*rank] = in[i];
  *rank = 0;
}

void global(const float* in, float* out, int n) {
  if (n == 0) return;
  int* rank = nullptr;
  CUDA_CHECK(cudaMalloc(&rank, sizeof(int)));
  CUDA_CHECK(cudaMemset(rank, 0, sizeof(int)));
  for (int i = 0; i < n; ++i) {
    count<<<kit::ceil_div(n, 256), 256>>>(in, n, i, rank);
    store<<<1, 1>>>(in, out, i, rank);
  }
  CUDA_CHECK_LAUNCH();
  CUDA_CHECK(cudaFree(rank));
}

}  // namespace rank_sort
