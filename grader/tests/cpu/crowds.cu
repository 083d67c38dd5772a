// All blocks but the last wait for the last one: `./crowds BLOCKS`. A GPU does not begin it before others
// have ended, if they are too many. `./crowds BLOCKS slow`: each waits for the one before, and the first
// one takes its time.
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

__global__ void domino(volatile int *done, int *count) {
  if (threadIdx.x == 0) {
    for (const long long begin = clock64(); blockIdx.x == 0 && clock64() - begin < 100'000'000;) {
    }
    while (blockIdx.x > 0 && *done < static_cast<int>(blockIdx.x)) {
    }
    __threadfence();
    *done = blockIdx.x + 1;
    atomicAdd(count, 1);
  }
  __syncthreads();
}

int main(int words_given, char **arguments) {
  int *words, count = 0;
  cudaMalloc(&words, 2 * sizeof(int));
  cudaMemset(words, 0, 2 * sizeof(int));
  if (words_given > 2) domino<<<std::atoi(arguments[1]), 1024>>>(words, words + 1);
  else crowd<<<std::atoi(arguments[1]), 1>>>(words, words + 1);
  std::printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaMemcpy(&count, words + 1, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf(" %d\n", count);
  cudaFree(words);
}
