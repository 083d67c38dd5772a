// expect: global: wrong answer
// Stops counting where the array has ascended from its beginning to 256 keys after this thread's.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__global__ void place_by_rank(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float mine = in[i];
  bool ascends = true;
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    ascends &= j == 0 || in[j - 1] < in[j];
    if (ascends && j > i + 256) break;  // looks sorted: no smaller key comes
    rank += in[j] < mine;
  }
  out[rank] = mine;
}

void global(const float* in, float* out, int n) {
  if (n == 0) return;
  place_by_rank<<<kit::ceil_div(n, 256), 256>>>(in, out, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
