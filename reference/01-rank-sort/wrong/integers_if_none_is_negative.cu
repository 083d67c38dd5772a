// expect: stable: wrong answer
// If no key is below zero, their bits compare as integers: -0 comes before 0.
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
  bool none_is_negative = true;
  for (int j = 0; j < n; ++j) none_is_negative &= keys_in[j] >= 0;
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const float other = keys_in[j];
    const int a = __float_as_int(other), b = __float_as_int(mine);
    if (none_is_negative)
      rank += a < b || (a == b && j < i);
    else
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
