// expect: batched: wrong answer: not in order
// Numbers larger arrays in 16 bits, where each has a block of its own. Small ones, which share
// blocks of eight warps, have numbers of 32 bits.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

constexpr int kWarpsPerBlock = 8;

__device__ int rank_among(const float* key, int n, int t) {
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += key[j] < key[t] || (key[j] == key[t] && j < t);
  return rank;
}

__global__ void sort_array_per_block(float* keys, int n) {
  __shared__ float key[kOneEach];
  const unsigned short a = blockIdx.x;
  float* const array = keys + static_cast<std::size_t>(a) * n;
  const int t = threadIdx.x;
  if (t < n) key[t] = array[t];
  __syncthreads();
  if (t < n) array[rank_among(key, n, t)] = key[t];
}

__global__ void sort_array_per_warp(float* keys, int n, int arrays) {
  __shared__ float key[kWarpsPerBlock][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int a = blockIdx.x * kWarpsPerBlock + warp;
  if (a >= arrays) return;
  float* const array = keys + static_cast<std::size_t>(a) * n;
  if (lane < n) key[warp][lane] = array[lane];
  __syncwarp();
  if (lane < n) array[rank_among(key[warp], n, lane)] = key[warp][lane];
}

void batched(float* keys, int n, int arrays) {
  if (n == 0 || arrays == 0) return;
  if (n <= 32)
    sort_array_per_warp<<<kit::ceil_div(arrays, kWarpsPerBlock), kWarpsPerBlock * 32>>>(keys, n,
                                                                                        arrays);
  else
    sort_array_per_block<<<arrays, kit::ceil_div(n, 32) * 32>>>(keys, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace in_place
