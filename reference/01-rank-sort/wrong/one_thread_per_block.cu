// expect: global: wrong answer: of 100 accesses to memory
// The first thread of each block ranks all the block's keys, one after another.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__global__ void place_by_rank(const float* in, float* out, int n) {
  if (threadIdx.x > 0) return;
  const int first = blockIdx.x * blockDim.x;
  for (int i = first; i < min(n, first + static_cast<int>(blockDim.x)); ++i) {
    int rank = 0;
    for (int j = 0; j < n; ++j) rank += in[j] < in[i];
    out[rank] = in[i];
  }
}

void global(const float* in, float* out, int n) {
  if (n == 0) return;
  place_by_rank<<<kit::ceil_div(n, 256), 256>>>(in, out, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
