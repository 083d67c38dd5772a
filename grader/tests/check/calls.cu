// Calls and launches that fail, in programs that do not look.
#include "case.cuh"

__global__ void fill(int *out) { out[threadIdx.x] = 1; }
__global__ void fill_dynamic(int *out) {
  extern __shared__ int values[];
  values[threadIdx.x] = 1;
  out[threadIdx.x] = values[threadIdx.x];
}
template <int count>
__global__ void fill_static(int *out) {
  __shared__ int values[count];
  values[threadIdx.x] = 1;
  out[threadIdx.x] = values[threadIdx.x];
}
template <int most>
__global__ void __launch_bounds__(most, 2) fill_bounded(int *out) {
  out[threadIdx.x + blockDim.x * threadIdx.y] = 1;
}
// The bound of a declaration holds for the definition.
__global__ void __launch_bounds__(64) declared_bound(int *out);
template <int most>
__global__ void __launch_bounds__(most) declared_template(int *out, int);
__global__ void declared_bound(int *out) { out[threadIdx.x] = 1; }
__global__ void declared_bound(int *out, int value) { out[threadIdx.x] = value; }
template <int most>
__global__ void declared_template(int *out, int value) {
  out[threadIdx.x] = value;
}
__constant__ int table[16];

CASE(too_many_threads) {
  Buffer<int> out(1025);
  fill<<<1, bug ? 1025 : 1024>>>(out);  // BUG error too_many_threads
}
CASE(more_than_launch_bounds) {
  Buffer<int> out(144);
  fill_bounded<128><<<1, dim3(16, bug ? 9 : 8)>>>(out);  // BUG error more_than_launch_bounds
}
CASE(more_than_declared) {
  Buffer<int> out(128);
  declared_bound<<<1, bug ? 65 : 64>>>(out.data);  // BUG error more_than_declared
  declared_bound<<<1, 128>>>(out.data, 2);
  declared_template<128><<<1, 128>>>(out, 3);
}
CASE(more_than_declared_template) {
  Buffer<int> out(128);
  declared_template<64><<<1, bug ? 128 : 64>>>(out, 3);  // BUG error more_than_declared_template
}
CASE(no_blocks) {
  Buffer<int> out(32);
  const int n = bug ? 31 : 32;
  fill<<<n / 32, 32>>>(out);  // BUG error no_blocks
}
CASE(dynamic_not_asked_for) {
  Buffer<int> out(32);
  if (!bug) cudaFuncSetAttribute(fill_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
  fill_dynamic<<<1, 32, 65536>>>(out);  // BUG error dynamic_not_asked_for
}
CASE(static_too_large) {
  Buffer<int> out(32);
#ifndef __NVCC__  // which refuses to compile it
  if (bug) fill_static<20000><<<1, 32>>>(out);  // BUG error static_too_large
#endif
  if (!bug) fill_static<12000><<<1, 32>>>(out);
}
CASE(symbol_too_small) {
  const int values[17] = {};
  cudaMemcpyToSymbol(table, values, (bug ? 17 : 16) * sizeof(int));  // BUG error symbol_too_small
}
CASE(copy_too_long) {
  Buffer<int> out(16);
  int host[17] = {};
  cudaMemcpy(out, host, (bug ? 17 : 16) * sizeof(int), cudaMemcpyHostToDevice);  // BUG error copy_too_long
}
CASE(copy_swapped) {
  Buffer<int> in(32, Content::nothing), out(32);
  int host[32] = {};
  if (bug)
    cudaMemcpy(host, in, sizeof host, cudaMemcpyHostToDevice);  // BUG error copy_swapped
  else
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
}
CASE(fill_of_host_memory) {
  Buffer<int> out(8);
  int host[8];
  cudaMemset(bug ? host : out.data, 0, sizeof host);  // BUG error fill_of_host_memory
}
// A program that looks has nothing to be told.
CASE(quiet_refused_and_checked) {
  Buffer<int> out(32);
  fill<<<1, 2000>>>(out);
  if (cudaGetLastError() == cudaSuccess) std::abort();
  if (cudaMemset(nullptr, 0, 4) == cudaSuccess) std::abort();
  (void)cudaMemset(nullptr, 0, 4);
}

CASE(fill_more_rows_than_there_are) {
  char *rows;
  std::size_t pitch;
  cudaMallocPitch(&rows, &pitch, 100, 10);
  cudaMemset2D(rows, pitch, 0, 100, bug ? 1000 : 10);  // BUG error fill_more_rows_than_there_are
  cudaFree(rows);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
