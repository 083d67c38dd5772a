// Without FAULT this is a correct program. Each FAULT breaks one rule of the CUDA language at the
// line that is marked with it. clang's CUDA front end has to find it there.
#include <cuda_runtime.h>

#include <algorithm>
#include <vector>

#ifndef FAULT
#define FAULT 0
#endif

int twice_on_host(int x) { return 2 * x; }
__device__ int twice(int x) { return 2 * x; }
int host_total = 0;
__device__ int device_total = 0;

__global__ void store(int *out, int value) {
#if FAULT == 1
  *out = twice_on_host(value);  // FAULT 1
#elif FAULT == 2
  host_total = value;  // FAULT 2
#elif FAULT == 3
  threadIdx.x = value;    // FAULT 3
#elif FAULT == 4
  *out = std::max(value, 3);     // FAULT 4
#elif FAULT == 5
  cudaMalloc(&out, 4);          // FAULT 5
#elif FAULT == 6
  if (!out) throw value;  // FAULT 6
#elif FAULT == 7
  std::vector<int> values(value);  // FAULT 7
#elif FAULT == 23
  int parts[value];  // FAULT 23
  *out = parts[0] = value;
#else
  device_total = value;
  *out = twice(max(value, 3)) + threadIdx.x;
#endif
}

__global__ void use_shared(int *out) {
#if FAULT == 8
  __shared__ int sum = 0;  // FAULT 8
#else
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
#endif
  __syncthreads();
  atomicAdd(&sum, 1);
#if FAULT == 9
  store<<<1, 1>>>(out, 1);  // FAULT 9
#endif
  __syncthreads();
  *out = sum;
}

#if FAULT == 10
__global__ int count(int *out) { return *out; }  // FAULT 10
#else
__global__ void count(int *out) { ++*out; }
#endif

struct Task {
#if FAULT == 11
  __global__ void run(int *out) { *out = 1; }  // FAULT 11
#else
  __device__ void run(int *out) { *out = 1; }
#endif
};
__global__ void run_task(Task task, int *out) { task.run(out); }

template <class T>
__global__ void fill(T *out, T value) {
#if FAULT == 12
  *out = twice_on_host(value);  // FAULT 12
#else
  *out = value;
#endif
}

int main() {
  int *out;
  cudaMalloc(&out, sizeof(int));
#if FAULT == 13
  store(out, 1);  // FAULT 13
#elif FAULT == 14
  store<<<1, 32>>>(1.5f, 1);  // FAULT 14
#elif FAULT == 15
  store<<<1, 32>>>(out);  // FAULT 15
#elif FAULT == 16
  store<<<"one", 32>>>(out, 1);  // FAULT 16
#elif FAULT == 17
  twice_on_host<<<1, 32>>>(1);  // FAULT 17
#else
  store<<<1, 32>>>(out, 1);
#endif
  use_shared<<<{2, 2}, {8, 4}>>>(out);
  count<<<1, 1>>>(out);
  run_task<<<1, 1>>>(Task{}, out);
  fill<<<1, 1>>>(out, 3);
#if FAULT == 18
  host_total = twice(3);  // FAULT 18
#elif FAULT == 19
  host_total = threadIdx.x;   // FAULT 19
#elif FAULT == 20
  __syncthreads();        // FAULT 20
#elif FAULT == 21
  atomicAdd(&host_total, 1);     // FAULT 21
#elif FAULT == 22
  __shared__ int sums[4];       // FAULT 22
#else
  host_total = twice_on_host(3);
  int of_the_host[host_total];  // which nvcc takes: { it is in no kernel
  of_the_host[0] = 0;
  host_total += of_the_host[0];
  std::vector<int> numbers{3, 1, 2};
  std::sort(numbers.begin(), numbers.end());
#endif
  return cudaFree(out) == cudaSuccess && cudaGetLastError() == cudaSuccess ? 0 : 1;
}
