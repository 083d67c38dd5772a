// Both kinds of shared memory, in every spelling.
#include <cstdint>
#include <vector>

#include "expect.cuh"

extern __shared__ float file_scope[];  // seen by all kernels

struct Pair {
  int first;
  float second;
};
template <class T>
struct Traits {
  using Element = T;
};

__global__ void spellings(int *ok) {
  __shared__ float tile[4][33], last;
  __shared__ volatile int flag;
  volatile __shared__ int flags[8];
  static __shared__ int counted;
  __shared__ int *pointer, numbers[4], (*row)[33];
  __shared__ alignas(64) char aligned[3];
  __shared__ __align__(32) double wide[2];
  __shared__ Pair pairs[2];
  __shared__ struct { int a, b; } anonymous;
  __shared__ union {
    int whole;
    float part[2];
  } either[2];
  __shared__ float bounded[(5 > 3) ? 7 : 9];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 33; ++i) tile[3][i] = i;
    last = 5;
    flag = 6;
    flags[7] = 7;
    counted = 8, numbers[3] = 9;
    pointer = numbers + 3;
    row = nullptr;
    aligned[2] = 10, wide[1] = 11, pairs[1] = {12, 13.0f};
    anonymous.a = 14, anonymous.b = 15, either[1].whole = 16;
    bounded[6] = 17;
  }
  __syncthreads();
  bool good = tile[3][32] == 32 && last == 5 && flag == 6 && flags[7] == 7 && counted == 8 &&
              *pointer == 9 && !row;
  good &= reinterpret_cast<std::uintptr_t>(aligned) % 64 == 0 &&
          reinterpret_cast<std::uintptr_t>(wide) % 32 == 0;
  good &= aligned[2] == 10 && wide[1] == 11 && pairs[1].first == 12 && pairs[1].second == 13.0f;
  good &= anonymous.a == 14 && anonymous.b == 15 && either[1].whole == 16 && bounded[6] == 17;
  good &=
      sizeof(tile) == 4 * 33 * 4 && sizeof(tile) / sizeof(tile[0]) == 4 && sizeof(bounded) == 28;
  ok[threadIdx.x] = good;
}

// Two instantiations, and two occurrences in one kernel, are different variables.
template <class T>
__device__ T *scratch(int which) {
  if (which == 0) {
    __shared__ typename Traits<T>::Element memory[32];
    return memory;
  }
  __shared__ T memory[32];
  return memory;
}

__global__ void instances(int *ok) {
  const int t = threadIdx.x;
  scratch<int>(0)[t] = t;
  scratch<int>(1)[t] = 100 + t;
  scratch<float>(0)[t] = 200.0f + t;
  __syncthreads();
  const int other = 31 - t;
  ok[t] = scratch<int>(0)[other] == other && scratch<int>(1)[other] == 100 + other &&
          scratch<float>(0)[other] == 200.0f + other;
}

// Dynamic memory divided into two arrays, together with a static variable.
__global__ void dynamic(int *ok, int n) {
  extern __shared__ __align__(16) unsigned char bytes[];
  __shared__ int fixed[64];
  int *first = reinterpret_cast<int *>(bytes);
  float *second = reinterpret_cast<float *>(first + n);
  const int t = threadIdx.x;
  first[t] = t, second[t] = 2.0f * t, fixed[t] = 3 * t;
  __syncthreads();
  const int other = n - 1 - t;
  ok[t] = first[other] == other && second[other] == 2.0f * other && fixed[other] == 3 * other;
}

__device__ float sum_of_file_scope(int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += file_scope[i];
  return sum;
}
__global__ void shared_by_functions(int *ok) {
  file_scope[threadIdx.x] = 1;
  __syncthreads();
  float *alias = file_scope + threadIdx.x;
  ok[threadIdx.x] = sum_of_file_scope(blockDim.x) == blockDim.x && *alias == 1;
}

// A value of an earlier block must not be there: on the CPU unwritten memory is NaN.
__global__ void read_before_write(int *ok) {
  __shared__ float value;
  extern __shared__ float other[];
  ok[blockIdx.x] = value != value && other[0] != other[0];
  value = other[0] = 1.0f;
}

void expect_all(const char *what, const int *device, int n) {
  std::vector<int> host(n);
  EXPECT(cudaMemcpy(host.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess);
  for (int i = 0; i < n; ++i)
    if (host[i] != 1) {
      std::printf("%s: %d is wrong\n", what, i), ++failures();
      return;
    }
}

int main() {
  int *ok;
  cudaMalloc(&ok, 1024 * sizeof(int));
  spellings<<<4, 64>>>(ok);
  expect_all("spellings", ok, 64);
  instances<<<2, 32>>>(ok);
  expect_all("instances", ok, 32);
  dynamic<<<3, 64, 64 * (sizeof(int) + sizeof(float))>>>(ok, 64);
  expect_all("dynamic", ok, 64);
  shared_by_functions<<<1, 50, 50 * sizeof(float)>>>(ok);
  expect_all("shared_by_functions", ok, 50);
#ifdef __CUDA_ON_CPU__
  read_before_write<<<20, 1, sizeof(float)>>>(ok);
  expect_all("read_before_write", ok, 20);
#endif
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  return failures() != 0;
}
