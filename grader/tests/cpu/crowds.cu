// All blocks but the last wait for the last one: `./crowds BLOCKS`. A GPU does not begin it before others
// have ended, if they are too many.
#include <cstdio>
#include <cstdlib>

__global__ void crowd(volatile int *flag, int *count) {
  if (blockIdx.x == gridDim.x - 1) {
    __threadfence();
    *flag = 1;
  }
  while (*flag == 0) {
  }
  atomicAdd(count, 1);
}

int main(int, char **arguments) {
  int *words, count = 0;
  cudaMalloc(&words, 2 * sizeof(int));
  cudaMemset(words, 0, 2 * sizeof(int));
  crowd<<<std::atoi(arguments[1]), 1>>>(words, words + 1);
  std::printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaMemcpy(&count, words + 1, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf(" %d\n", count);
  cudaFree(words);
}
