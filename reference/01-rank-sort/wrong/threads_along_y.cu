// expect on cpu: strided: crashed: at most 65,535
// Blocks are in the second dimension of the grid, which has room for 65,535: enough for 2^24 threads, not for 2^30.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__global__ void place_by_rank(const float* in, float* out, int n, int threads) {
  const int t = blockIdx.y * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  for (int i = t; i < n; i += threads) {
    int rank = 0;
    for (int j = 0; j < n; ++j) rank += in[j] < in[i];
    out[rank] = in[i];
  }
}

void strided(const float* in, float* out, int n, int threads) {
  if (n == 0) return;
  place_by_rank<<<dim3(1, kit::ceil_div(threads, 256)), 256>>>(in, out, n, threads);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
