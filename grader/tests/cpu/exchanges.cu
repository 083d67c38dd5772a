// Threads that exchange what they have made from an earlier read: right as long as no other one comes in
// between. Prints the least of the values by each way, and by the right one.
#include <cstdio>

__global__ void find_least(int *least, int way) {
  const int value = 1 + threadIdx.x * 37 % 64;
  int seen = atomicAdd(least, 0);
  if (way == 0) {
    if (value < seen) atomicExch(least, value);
  } else if (way == 1) {
    if (value < seen) atomicCAS(least, seen, value);  // whether it did is not asked
  } else {
    while (value < seen) {
      const int before = atomicCAS(least, seen, value);
      if (before == seen) break;
      seen = before;
    }
  }
}

int main() {
  int *least;
  cudaMalloc(&least, sizeof *least);
  for (int way = 0; way < 3; ++way) {
    int found = 1000;
    cudaMemcpy(least, &found, sizeof found, cudaMemcpyHostToDevice);
    find_least<<<1, 64>>>(least, way);
    cudaMemcpy(&found, least, sizeof found, cudaMemcpyDeviceToHost);
    std::printf("%d%c", found, way < 2 ? ' ' : '\n');
  }
  cudaFree(least);
}
