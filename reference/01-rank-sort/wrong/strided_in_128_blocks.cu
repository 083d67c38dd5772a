// expect on cpu: strided: wrong answer: threads; the contract asks for
// At most 128 blocks, whatever number of threads is granted: keys that others should serve are lost.
#include <algorithm>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__global__ void place(const float* in, float* out, int n, int threads) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  for (int i = t; i < n; i += threads) {
    const float mine = in[i];
    int rank = 0;
    for (int j = 0; j < n; ++j) rank += in[j] < mine;
    out[rank] = mine;
  }
}

void strided(const float* in, float* out, int n, int threads) {
  if (n == 0) return;
  place<<<std::min(kit::ceil_div(threads, 256), 128), 256>>>(in, out, n, threads);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
