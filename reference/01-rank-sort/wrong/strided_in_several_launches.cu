// expect: strided: wrong answer: but the contract grants
// Serves the keys beyond the granted threads by further launches, which are more threads in all.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__global__ void place_some(const float* in, float* out, int n, int first, int threads) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, i = first + t;
  if (t >= threads || i >= n) return;
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += in[j] < in[i];
  out[rank] = in[i];
}

void strided(const float* in, float* out, int n, int threads) {
  for (int first = 0; first < n; first += threads)
    place_some<<<kit::ceil_div(threads, 256), 256>>>(in, out, n, first, threads);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
