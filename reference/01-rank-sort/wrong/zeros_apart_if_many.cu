// expect: stable: wrong answer: equal keys changed places
// Many keys are compared by their bits, by which -0 comes before 0: but the two are equal.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

/// An integer for each key: in order, and one for all NaN.
__device__ int word_of(float key, bool many) {
  if (isnan(key)) return 0x7FC00000;
  if (key == 0 && !many) return 0;
  const int bits = __float_as_int(key);
  return bits ^ ((bits >> 31) & 0x7FFFFFFF);
}

__global__ void place_pairs(const float* keys_in, const int* values_in, float* keys_out,
                            int* values_out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const bool many = n > 3000;
  const int mine = word_of(keys_in[i], many);
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const int other = word_of(keys_in[j], many);
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
