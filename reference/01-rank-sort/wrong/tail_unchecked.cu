// expect: global: wrote outside
// The last block's spare threads have no key, and rank what lies beyond the end of the array.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__global__ void place_by_rank(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float mine = in[i];  // missing: if (i >= n) return;
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += in[j] < mine;
  out[rank] = mine;
}

void global(const float* in, float* out, int n) {
  if (n == 0) return;
  place_by_rank<<<kit::ceil_div(n, 256), 256>>>(in, out, n);
}

}  // namespace rank_sort
