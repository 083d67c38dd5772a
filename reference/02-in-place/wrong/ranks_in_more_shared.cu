// expect on cpu: registers: wrong answer: bytes of shared memory; the contract allows 49152
// Keys and ranks are both in shared memory: 96 KB at 12,288 keys, which the kernel asks for.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {

__global__ void sort_in_shared(float* keys, int n) {
  extern __shared__ float key[];
  int* const rank = reinterpret_cast<int*>(key + n);
  for (int i = threadIdx.x; i < n; i += blockDim.x) key[i] = keys[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    rank[i] = 0;
    for (int j = 0; j < n; ++j) rank[i] += key[j] < key[i] || (key[j] == key[i] && j < i);
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x) keys[rank[i]] = key[i];
}

void registers(float* keys, int n) {
  if (n == 0) return;
  const int bytes = n * (sizeof(float) + sizeof(int));
  CUDA_CHECK(cudaFuncSetAttribute(sort_in_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  bytes));
  sort_in_shared<<<1, kOneEach, bytes>>>(keys, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace in_place
