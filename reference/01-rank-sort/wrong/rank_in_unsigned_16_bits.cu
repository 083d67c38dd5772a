// expect on cpu: stable: wrong answer: does not belong there
// A rank of 16 bits is enough for 65,536 keys, and for no more.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__device__ bool before(float a, float b) { return isnan(b) ? !isnan(a) : a < b; }

__global__ void place_pairs(const float* keys_in, const int* values_in, float* keys_out,
                            int* values_out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float mine = keys_in[i];
  unsigned short rank = 0;
  for (int j = 0; j < n; ++j) {
    const float other = keys_in[j];
    rank += before(other, mine) || (!before(mine, other) && j < i);
  }
  keys_out[rank] = mine;
  values_out[rank] = values_in[i];
}

void stable(const float* keys_in, const int* values_in, float* keys_out, int* values_out, int n) {
  if (n == 0) return;
  place_pairs<<<kit::ceil_div(n, 256), 256>>>(keys_in, values_in, keys_out, values_out, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
