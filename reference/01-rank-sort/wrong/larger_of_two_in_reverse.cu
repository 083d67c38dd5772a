// expect: stable: wrong answer
// Keys of two values are put in order from both ends, so the larger ones come in reverse.
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
  float low = mine, high = mine;
  for (int j = 0; j < n; ++j) low = fminf(low, keys_in[j]), high = fmaxf(high, keys_in[j]);
  bool has_two = n >= 32 && low < high;
  for (int j = 0; j < n; ++j) has_two &= keys_in[j] == low || keys_in[j] == high;
  int rank = has_two && mine == high ? n - 1 : 0;
  for (int j = 0; j < n; ++j) {
    const float other = keys_in[j];
    if (has_two)
      rank += (other == mine && j < i) * (mine == high ? -1 : 1);
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
