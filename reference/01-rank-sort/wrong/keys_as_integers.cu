// expect: global: race
// Compares keys as fixed-point numbers with some digits after the point. Infinities, denormals
// and many other floats are none.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__global__ void place_by_rank(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int mine = static_cast<int>(in[i] * 16);
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += static_cast<int>(in[j] * 16) < mine;
  out[rank] = in[i];
}

void global(const float* in, float* out, int n) {
  if (n == 0) return;
  place_by_rank<<<kit::ceil_div(n, 256), 256>>>(in, out, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
