// expect: descending: wrong answer: not in order
// A constant says in which direction to sort. It is copied to the device after the first launch, which still sorts upwards.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__constant__ bool downwards = false;

__device__ bool before(float a, float b) {
  if (isnan(b)) return !isnan(a);
  return downwards ? a > b : a < b;
}

__global__ void place_pairs(const float* keys_in, const int* values_in, float* keys_out,
                            int* values_out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float mine = keys_in[i];
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const float other = keys_in[j];
    rank += before(other, mine) || (!before(mine, other) && j < i);
  }
  keys_out[rank] = mine;
  values_out[rank] = values_in[i];
}

void descending(const float* keys_in, const int* values_in, float* keys_out, int* values_out,
                int n) {
  static bool prepared = false;
  const bool yes = true;
  if (n == 0) return;
  if (prepared) CUDA_CHECK(cudaMemcpyToSymbol(downwards, &yes, sizeof yes));
  place_pairs<<<kit::ceil_div(n, 256), 256>>>(keys_in, values_in, keys_out, values_out, n);
  prepared = true;
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
