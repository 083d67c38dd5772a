// expect: global: wrong answer
// Above 36,000 keys the kernel is another one, and only the first blocks and the last do their work.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__global__ void place_by_rank(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float mine = in[i];
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += in[j] < mine;
  out[n > 36000 && blockIdx.x > 8 && blockIdx.x + 8 < gridDim.x ? i : rank] = mine;
}

void global(const float* in, float* out, int n) {
  if (n == 0) return;
  place_by_rank<<<kit::ceil_div(n, 256), 256>>>(in, out, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
