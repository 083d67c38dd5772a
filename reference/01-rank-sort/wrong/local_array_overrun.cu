// expect: global: crashed: outside of the array
// Adds up four counts of its own in a loop that looks at a fifth.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

constexpr int kParts = 4;

__global__ void place_by_rank(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int part[kParts] = {};
  for (int j = 0; j < n; ++j) part[j % kParts] += in[j] < in[i];
  int rank = 0;
  for (int k = 0; k <= kParts; ++k)
    if (part[k] > 0 && k < kParts) rank += part[k];  // too late: part[4] has been read
  out[rank] = in[i];
}

void global(const float* in, float* out, int n) {
  if (n == 0) return;
  place_by_rank<<<kit::ceil_div(n, 256), 256>>>(in, out, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
