// expect: fast: wrong answer
// Fills up to a multiple of four with zeros, which belong before every positive key.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

__global__ void sort_array_fast(float* keys, int n) {
  __shared__ float4 quads[kOneEach / 4];
  float* const key = reinterpret_cast<float*>(quads);
  float* const array = keys + static_cast<size_t>(blockIdx.x) * n;
  const int t = threadIdx.x;
  const float mine = t < n ? array[t] : 0.0f;
  key[t] = mine;
  __syncthreads();
  if (t >= n) return;
  int rank = 0;
  for (int q = 0; q < kit::ceil_div(n, 4); ++q) {
    const float4 others = quads[q];
    const float four[4] = {others.x, others.y, others.z, others.w};
    for (int k = 0; k < 4; ++k)
      rank += four[k] < mine || (four[k] == mine && q * 4 + k < t);
  }
  if (rank < n) array[rank] = mine;
}

void fast(float* keys, int n, int arrays) {
  if (n == 0 || arrays == 0) return;
  sort_array_fast<<<arrays, kit::ceil_div(n, 32) * 32>>>(keys, n);
}

}  // namespace in_place
