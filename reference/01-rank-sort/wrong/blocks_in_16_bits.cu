// expect on cpu: strided: crashed: zero blocks
// Counts blocks in 16 bits: there are 65,536 of 256 threads each from 2^24 threads on.
#include <cstdint>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__global__ void place_by_rank(const float* in, float* out, int n, int threads) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  for (int i = t; i < n; i += threads) {
    int rank = 0;
    for (int j = 0; j < n; ++j) rank += in[j] < in[i];
    out[rank] = in[i];
  }
}

void strided(const float* in, float* out, int n, int threads) {
  if (n == 0) return;
  const std::uint16_t blocks = kit::ceil_div(threads, 256);
  place_by_rank<<<blocks, 256>>>(in, out, n, threads);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
