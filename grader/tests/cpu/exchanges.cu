// Threads that exchange what they have made from an earlier read: right as long as no other one comes in
// between. Prints the least of the values by each way, and by the right one.
#include <cstdio>

__device__ void take_if_free(int *lock) {
  while (atomicAdd(lock, 0) != 0) {
  }
  atomicExch(lock, 1);  // others have seen that it is free, too
}
__device__ void take(int *lock) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
}
__global__ void find_least_with_lock(int *least, int *lock, bool right) {
  const int value = 1 + threadIdx.x * 37 % 64;
  if (right) take(lock);
  else take_if_free(lock);
  if (value < atomicAdd(least, 0)) atomicExch(least, value);
  atomicExch(lock, 0);
}

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
  cudaMalloc(&least, 2 * sizeof *least);
  int *lock = least + 1;
  cudaMemset(lock, 0, sizeof *lock);
  for (int way = 0; way < 5; ++way) {
    int found = 1000;
    cudaMemcpy(least, &found, sizeof found, cudaMemcpyHostToDevice);
    if (way < 3) find_least<<<1, 64>>>(least, way);
    else find_least_with_lock<<<1, 64>>>(least, lock, way == 4);
    cudaMemcpy(&found, least, sizeof found, cudaMemcpyDeviceToHost);
    std::printf("%d%c", found, way < 4 ? ' ' : '\n');
  }
  cudaFree(least);
}
