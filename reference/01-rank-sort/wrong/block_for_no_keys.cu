// expect on cpu: global: wrong answer: n = 0 launches nothing
// Rounds up from one: n = 0 launches a block, all of whose threads return.
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
  out[rank] = mine;
}

void global(const float* in, float* out, int n) {
  place_by_rank<<<n / 256 + 1, 256>>>(in, out, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
