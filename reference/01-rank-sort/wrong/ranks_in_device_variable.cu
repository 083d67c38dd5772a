// expect: global: wrote outside
// Counts in a __device__ variable, which still holds the counts of the call before: it must be set to
// 0 first, or better, be a variable of the thread.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__device__ int rank[1 << 20];

__global__ void place_by_rank(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float mine = in[i];
  for (int j = 0; j < n; ++j)
    if (in[j] < mine) ++rank[i];
  out[rank[i]] = mine;
}

void global(const float* in, float* out, int n) {
  if (n == 0) return;
  place_by_rank<<<kit::ceil_div(n, 256), 256>>>(in, out, n);
}

}  // namespace rank_sort
