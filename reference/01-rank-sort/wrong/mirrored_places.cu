// expect: descending: wrong answer: equal keys changed places
// Stores at out[n - 1 - rank] with the ascending rank: it mirrors ties (and NaN) with all the
// rest.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__global__ void place_pairs(const float* keys_in, const int* values_in, float* keys_out,
                            int* values_out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float mine = keys_in[i];
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const float other = keys_in[j];
    const bool before = isnan(mine) ? !isnan(other) : other < mine;
    const bool tie = other == mine || (isnan(other) && isnan(mine));
    rank += before || (tie && j < i);
  }
  keys_out[n - 1 - rank] = mine;
  values_out[n - 1 - rank] = values_in[i];
}

void descending(const float* keys_in, const int* values_in, float* keys_out, int* values_out, int n) {
  if (n == 0) return;
  place_pairs<<<kit::ceil_div(n, 256), 256>>>(keys_in, values_in, keys_out, values_out, n);
}

}  // namespace rank_sort
