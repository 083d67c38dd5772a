// expect: stable: wrong answer
// Where most keys are zeros, -0 comes before 0.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {
namespace {

__device__ bool before(float a, float b) { return isnan(b) ? !isnan(a) : a < b; }

__global__ void place_pairs(const float* keys_in, const int* values_in, float* keys_out,
                            int* values_out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float mine = keys_in[i];
  int zeros = 0, rank = 0;
  for (int j = 0; j < n; ++j) zeros += keys_in[j] == 0;
  const bool by_sign = n > 64 && 2 * zeros > n && mine == 0;
  for (int j = 0; j < n; ++j) {
    const float other = keys_in[j];
    const bool differ = by_sign && other == 0 && signbit(other) != signbit(mine);
    if (differ)
      rank += signbit(other);
    else
      rank += before(other, mine) || (j < i && !before(mine, other));
  }
  keys_out[rank] = mine;
  values_out[rank] = values_in[i];
}

}  // namespace

void stable(const float* keys_in, const int* values_in, float* keys_out, int* values_out, int n) {
  if (n == 0) return;
  place_pairs<<<kit::ceil_div(n, 256), 256>>>(keys_in, values_in, keys_out, values_out, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
