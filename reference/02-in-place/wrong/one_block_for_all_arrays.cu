// expect on cpu: batched: wrong answer: the contract asks for
// One block sorts one array after another, so one multiprocessor works.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

__global__ void sort_all_arrays(float* keys, int n, int arrays) {
  __shared__ float key[kOneEach];
  const int t = threadIdx.x;
  for (int a = 0; a < arrays; ++a) {
    float* const array = keys + static_cast<std::size_t>(a) * n;
    const float mine = t < n ? array[t] : 0.0f;
    if (t < n) key[t] = mine;
    __syncthreads();
    int rank = 0;
    for (int j = 0; j < n && t < n; ++j) rank += key[j] < mine || (key[j] == mine && j < t);
    if (t < n) array[rank] = mine;
    __syncthreads();
  }
}

void batched(float* keys, int n, int arrays) {
  if (n == 0 || arrays == 0) return;
  sort_all_arrays<<<1, kit::ceil_div(n, 32) * 32>>>(keys, n, arrays);
  CUDA_CHECK_LAUNCH();
}

}  // namespace in_place
