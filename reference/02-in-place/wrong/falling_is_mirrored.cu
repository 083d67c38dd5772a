// expect: in-place: wrong answer: equal keys changed places
// An array that nowhere rises is turned round, and its equal keys with it.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {
namespace {

__global__ void sort_in_shared(float* keys, int n) {
  __shared__ float key[kOneEach];
  const int t = threadIdx.x;
  if (t < n) key[t] = keys[t];
  __syncthreads();
  const bool rises = t + 1 < n && key[t] < key[t + 1];
  int rank = n - 1 - t;
  if (__syncthreads_or(n < 64 || rises) && t < n) {
    rank = 0;
    for (int j = 0; j < n; ++j) rank += key[j] < key[t] || (key[j] == key[t] && j < t);
  }
  if (t < n) keys[rank] = key[t];
}

}  // namespace

void in_place(float* keys, int n) {
  if (n == 0) return;
  sort_in_shared<<<1, kit::ceil_div(n, 32) * 32>>>(keys, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace in_place
