// expect: global: wrong answer: keeps device memory
// Ranks in memory of its own, which it never gives back.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__global__ void find_ranks(const float* in, int* rank, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int smaller = 0;
  for (int j = 0; j < n; ++j) smaller += in[j] < in[i];
  rank[i] = smaller;
}

__global__ void place(const float* in, const int* rank, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[rank[i]] = in[i];
}

void global(const float* in, float* out, int n) {
  if (n == 0) return;
  int* rank = nullptr;
  CUDA_CHECK(cudaMalloc(&rank, n * sizeof *rank));
  const int blocks = kit::ceil_div(n, 256);
  find_ranks<<<blocks, 256>>>(in, rank, n);
  place<<<blocks, 256>>>(in, rank, out, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
