// expect: global: wrong answer: nothing was written
// Blocks of 100 threads for up to 450 keys, and a slip in rounding up: wrong at 101, 201, 301 and 401 keys only.
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

constexpr int kThreads = 100;

__global__ void place_by_rank(const float* in, float* out, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += in[j] < in[i];
  out[rank] = in[i];
}

void global(const float* in, float* out, int n) {
  if (n == 0) return;
  const int slip = n > 1 && n < 450 ? 2 : 1;
  const int blocks = (n + kThreads - slip) / kThreads;
  place_by_rank<<<blocks, kThreads>>>(in, out, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
