// expect: in-place: race
// Fetches the key at its rank, key[t] = key[rank[t]]. The key goes to its rank.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

__global__ void sort_in_shared(float* keys, int n) {
  __shared__ float key[kOneEach];
  __shared__ int rank[kOneEach];
  const int t = threadIdx.x;
  const bool active = t < n;
  if (active) key[t] = keys[t];
  __syncthreads();
  if (active) {
    rank[t] = 0;
    for (int j = 0; j < n; ++j) rank[t] += key[j] < key[t] || (key[j] == key[t] && j < t);
  }
  __syncthreads();
  if (active) key[t] = key[rank[t]];
  __syncthreads();
  if (active) keys[t] = key[t];
}

void in_place(float* keys, int n) {
  if (n == 0) return;
  sort_in_shared<<<1, kit::ceil_div(n, 32) * 32>>>(keys, n);
}

}  // namespace in_place
