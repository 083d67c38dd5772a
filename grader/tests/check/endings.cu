// How programs end: memory that nobody frees, assertions, traps, two devices, pools.
#include "case.cuh"

#include <cassert>

__global__ void fill(int *data, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = value;
}

// ---- never freed
CASE(managed_never_freed) {
  int *data;
  cudaMallocManaged(&data, 256);  // BUG leak managed_never_freed
  fill<<<1, 64>>>(data, 64, 1);
  cudaDeviceSynchronize();
  EXPECT(data[63] == 1);
  if (!bug) cudaFree(data);
}
CASE(pinned_never_freed) {
  float *staging;
  cudaMallocHost(&staging, 1024);  // BUG leak pinned_never_freed
  staging[0] = 1;
  if (!bug) cudaFreeHost(staging);
}
CASE(rows_never_freed) {
  float *rows;
  size_t pitch;
  cudaMallocPitch(&rows, &pitch, 100, 4);  // BUG leak rows_never_freed
  cudaMemset2D(rows, pitch, 0, 100, 4);
  if (!bug) cudaFree(rows);
}
CASE(array_never_freed) {
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMallocArray(&array, &floats, 8, 8);  // BUG leak array_never_freed
  if (!bug) cudaFreeArray(array);
}
int *made(int n) {
  int *data = nullptr;
  cudaMalloc(&data, n * sizeof(int));  // BUG leak lost_in_a_loop
  return data;
}
CASE(lost_in_a_loop) {
  int *data = nullptr;
  for (int i = 0; i < 5; ++i) {
    if (!bug) cudaFree(data);
    data = made(16);
  }
  cudaFree(data);
}
struct Table {
  int *slots = nullptr;
  explicit Table(int n) {
    cudaMalloc(&slots, n * sizeof(int));  // BUG leak table_without_destructor
  }
  void clear() {
    cudaFree(slots);
    slots = nullptr;
  }
};
CASE(table_without_destructor) {
  Table table(32);
  fill<<<1, 32>>>(table.slots, 32, -1);
  if (!bug) table.clear();
}
CASE(taken_from_a_pool) {
  int *data;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMallocAsync(&data, 64, stream);  // BUG leak taken_from_a_pool
  fill<<<1, 16, 0, stream>>>(data, 16, 1);
  if (!bug) cudaFreeAsync(data, stream);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}
CASE(quiet_reset_frees) {
  int *data, *managed, *pinned;
  cudaMalloc(&data, 64);
  cudaMallocManaged(&managed, 64);
  cudaMallocHost(&pinned, 64);
  fill<<<1, 16>>>(data, 16, 1);
  cudaDeviceReset();
}

// ---- what ends a launch
__global__ void asserted(const int *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) assert(in[i] >= 0 && "no negative keys");  // BUG assert negative_key
}
CASE(negative_key) {
  std::vector<int> host = counting<int>(96);
  if (bug) host[70] = -1;
  Up<int> in(host);
  asserted<<<2, 64>>>(in, 96);
  const cudaError_t error = cudaDeviceSynchronize();
  EXPECT(error == cudaSuccess);
  if (bug && (error != cudaErrorAssert || cudaGetLastError() != cudaErrorAssert)) std::puts("another error");
  if (bug) cudaDeviceReset();
}
__device__ int checked(int value, int most) {
  assert(value < most);  // BUG assert in_a_helper
  return value;
}
__global__ void through_a_helper(int *out, int most) { out[threadIdx.x] = checked(threadIdx.x, most); }
CASE(in_a_helper) {
  Buffer<int> out(32);
  through_a_helper<<<1, 32>>>(out, bug ? 31 : 32);
}
__global__ void trapped(unsigned n) {
  if (threadIdx.x >= n) __trap();  // BUG trap too_many_for_the_table
}
CASE(too_many_for_the_table) { trapped<<<1, 32>>>(bug ? 31 : 32); }

int main(int count, char **arguments) { return run_case(count, arguments); }
