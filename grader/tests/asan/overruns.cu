// The faults that `./lab run --mode asan` must find, with correct twins:  overruns CASE fault|twin
#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>
#include <string>

__global__ void write_global(float *values, int last) {
  values[threadIdx.x + last] = 1.0f;  // LINE global-write
}

__global__ void read_global(const int *values, int first, int *out) {
  out[0] = values[first];  // LINE global-read
}

__global__ void add_global(int *total, int index) {
  atomicAdd(total + index, 1);  // LINE atomic
}

// Every thread waits once, so that the fault happens on a fiber that was switched to.
__global__ void use_dynamic(int *out, int shift) {
  extern __shared__ int values[];
  values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x + shift];  // LINE dynamic
}

__global__ void use_static(int *out, int index) {
  __shared__ int first[32], second[32];
  first[threadIdx.x] = second[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = first[index] + second[0];  // LINE static
}

__global__ void use_local(int *out, int index) {
  int digits[8] = {};
  __syncthreads();
  digits[index + threadIdx.x % 2] = 3;  // LINE stack
  out[threadIdx.x] = digits[threadIdx.x % 8];
}

template <class T>
T *device_array(int count) {
  T *values;
  cudaMalloc(&values, count * sizeof(T));
  cudaMemset(values, 0, count * sizeof(T));
  return values;
}

void host_heap(int index) {
  int *numbers = new int[10];
  numbers[index] = 1;  // LINE host
  volatile int sink = numbers[0];
  (void)sink;
  delete[] numbers;
}

void after_free(bool fault) {
  int *gone = device_array<int>(100), *kept = device_array<int>(100);
  cudaFree(gone);
  int *next = device_array<int>(100);  // may not get the same addresses
  read_global<<<1, 1>>>(fault ? gone : next, 3, kept);
}

// Two blocks, because the second must have the same red zones as the first.
int main(int count, char **arguments) {
  if (count != 3) return 2;
  const std::string which = arguments[1];
  const bool fault = !std::strcmp(arguments[2], "fault");
  int *out = device_array<int>(64);
  if (which == "global-write") write_global<<<2, 32>>>(device_array<float>(101), fault ? 70 : 69);
  if (which == "global-before") read_global<<<2, 1>>>(device_array<int>(100), fault ? -1 : 0, out);
  if (which == "global-read") read_global<<<2, 1>>>(device_array<int>(100), fault ? 100 : 99, out);
  if (which == "atomic") add_global<<<2, 32>>>(device_array<int>(1), fault ? 1 : 0);
  if (which == "dynamic") use_dynamic<<<2, 32, 33 * sizeof(int)>>>(out, fault ? 2 : 1);
  if (which == "static") use_static<<<2, 32>>>(out, fault ? 32 : 31);
  if (which == "stack") use_local<<<2, 32>>>(out, fault ? 7 : 6);
  if (which == "free") after_free(fault);
  if (which == "host") host_heap(fault ? 10 : 9);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 3;
}
