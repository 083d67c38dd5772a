// expect on cpu: global: wrong answer: __device__ variables of 524288 bytes
// Keeps the ranks in a __device__ variable. It is large enough for what the tests can try, but n has no limit.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__device__ int rank_of[131'072];

__global__ void count(const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += in[j] < in[i];
  rank_of[i % 131'072] = rank;
}

__global__ void store(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[rank_of[i % 131'072]] = in[i];
}

void global(const float* in, float* out, int n) {
  if (n == 0) return;
  for (int first = 0; first < n; first += 131'072) {
    count<<<kit::ceil_div(n, 256), 256>>>(in, n);
    store<<<kit::ceil_div(n, 256), 256>>>(in, out, n);
  }
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
