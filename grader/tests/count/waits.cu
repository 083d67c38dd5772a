// Loops that wait: how often a lane looks at the same value is not counted; each new value is.
#include <cuda_runtime.h>

__global__ void barrier_by_hand(int *arrived) {
  if (threadIdx.x != 0) return;
  atomicAdd(arrived, 1);
  while (atomicAdd(arrived, 0) < static_cast<int>(gridDim.x)) __nanosleep(20);
}

// Every lane reads ten values, one after the other, from one word of shared memory.
__global__ void one_word_for_all(int *sum) {
  __shared__ volatile int word;
  if (threadIdx.x == 0) word = 0;
  __syncthreads();
  int all = 0, seen = 0;
  for (int turn = 1; turn <= 10; ++turn) {
    if (threadIdx.x == 32) word = turn;
    if (threadIdx.x < 32)
      while ((seen = word) != turn) __nanosleep(20);
    all += seen;
    __syncthreads();
  }
  sum[threadIdx.x] = all;
}

// Not a loop that waits: each round does something.
__global__ void tickets(int *next) {
  if (threadIdx.x == 0)
    while (atomicAdd(next, 1) < 20) __nanosleep(20);
}

int main() {
  int *data;
  cudaMalloc(&data, 4096);
  cudaMemset(data, 0, 4096);
  barrier_by_hand<<<4, 32>>>(data);
  one_word_for_all<<<1, 64>>>(data + 64);
  tickets<<<1, 32>>>(data + 256);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(data);
  return error == cudaSuccess ? 0 : 1;
}
