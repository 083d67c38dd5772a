// expect: global: wrong answer: nothing was written
// Blocks of 192 threads, and a slip in rounding up: one key more than whole blocks has no thread.
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

constexpr int kThreads = 192;

__global__ void place_by_rank(const float* in, float* out, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += in[j] < in[i];
  out[rank] = in[i];
}

void global(const float* in, float* out, int n) {
  if (n == 0) return;
  const int blocks = n < kThreads ? 1 : (n + kThreads - 2) / kThreads;
  place_by_rank<<<blocks, kThreads>>>(in, out, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
