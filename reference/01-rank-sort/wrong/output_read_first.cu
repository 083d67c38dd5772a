// expect: global: wrong answer: never written
// Stores a key only where another one stands: nobody has written what is read there.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__global__ void place_if_different(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += in[j] < in[i];
  if (out[rank] != in[i]) out[rank] = in[i];
}

void global(const float* in, float* out, int n) {
  if (n == 0) return;
  place_if_different<<<kit::ceil_div(n, 256), 256>>>(in, out, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
