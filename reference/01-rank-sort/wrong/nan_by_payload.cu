// expect: stable: wrong answer: equal keys changed places
// Puts NaN last, but orders one NaN before another by their bits.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__device__ unsigned ordered(float key) {
  const unsigned bits = __float_as_uint(key);
  if (isnan(key)) return bits | 0x80000000u;
  if (key == 0) return 0x80000000u;
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

__global__ void place_pairs(const float* keys_in, const int* values_in, float* keys_out,
                            int* values_out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned mine = ordered(keys_in[i]);
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const unsigned other = ordered(keys_in[j]);
    rank += other < mine || (other == mine && j < i);
  }
  keys_out[rank] = keys_in[i];
  values_out[rank] = values_in[i];
}

void stable(const float* keys_in, const int* values_in, float* keys_out, int* values_out, int n) {
  if (n == 0) return;
  place_pairs<<<kit::ceil_div(n, 256), 256>>>(keys_in, values_in, keys_out, values_out, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
