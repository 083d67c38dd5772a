// expect: in-place: race
// Overwrites places that other threads still have to read: the barrier between reading and storing
// is missing.
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
  const float moving = active ? key[t] : 0.0f;
  if (active) key[rank[t]] = moving;
  __syncthreads();
  if (active) keys[t] = key[t];
}

void in_place(float* keys, int n) {
  if (n == 0) return;
  sort_in_shared<<<1, kit::ceil_div(n, 32) * 32>>>(keys, n);
}

}  // namespace in_place
