// expect: global: race
// The loop over the keys does not begin at 0: the keys before that are not counted.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__global__ void place_by_rank(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float mine = in[i];
  int rank = 0;
  for (int j = 1; j < n; ++j) rank += in[j] < mine;
  out[rank] = mine;
}

void global(const float* in, float* out, int n) {
  if (n == 0) return;
  place_by_rank<<<kit::ceil_div(n, 256), 256>>>(in, out, n);
}

}  // namespace rank_sort
