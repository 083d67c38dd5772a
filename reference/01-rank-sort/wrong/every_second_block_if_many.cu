// expect: global: wrong answer: does not belong there
// Above 36,000 keys every second block does nothing.
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
  if (n <= 36000 || blockIdx.x % 2 == 0) out[rank] = mine;
}

void global(const float* in, float* out, int n) {
  if (n == 0) return;
  place_by_rank<<<kit::ceil_div(n, 256), 256>>>(in, out, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
