// Addresses that do not belong to the kernel.
#include "case.cuh"

__global__ void fill(int *out, int n, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (bug || i < n) out[i] = i;  // BUG memory no_guard
}
CASE(no_guard) {
  Buffer<int> out(100);
  fill<<<4, 32>>>(out, 100, bug);
}

__global__ void copy_shifted(const int *in, int *out, int offset) {
  const int t = threadIdx.x;
  out[t] = in[t + offset];  // BUG memory one_behind one_before far_before
}
CASE(one_behind) {
  Buffer<int> in(64), out(64);
  copy_shifted<<<1, 64>>>(in, out, bug ? 1 : 0);
}
CASE(one_before) {
  Buffer<int> in(64), out(64);
  copy_shifted<<<1, 64>>>(in, out, bug ? -1 : 0);
}
CASE(far_before) {
  Buffer<int> in(64), out(64);
  copy_shifted<<<1, 64>>>(in, out, bug ? -100000 : 0);
}

__global__ void copy_bytes(const char *in, char *out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = in[i];  // BUG memory last_byte
}
CASE(last_byte) {
  Buffer<char> in(33), out(64);
  copy_bytes<<<1, 32>>>(in, out, bug ? 34 : 33);
}

__global__ void copy_vectors(const float4 *in, float4 *out, int n) {
  const int t = threadIdx.x;
  if (t < n) out[t] = in[t];  // BUG memory float4_past_the_end
}
CASE(float4_past_the_end) {
  Buffer<float> in(30), out(32);
  copy_vectors<<<1, 32>>>(reinterpret_cast<float4 *>(in.data), reinterpret_cast<float4 *>(out.data),
                          bug ? 8 : 7);
}

__global__ void transpose(const int *in, int *out, int width, int height, bool bug) {
  const int x = threadIdx.x, y = threadIdx.y;
  out[y * width + x] = bug ? in[x * width + y] : in[y * width + x];  // BUG memory index_swapped
  (void)height;
}
CASE(index_swapped) {
  Buffer<int> in(16 * 4), out(16 * 4);
  transpose<<<1, dim3(16, 4)>>>(in, out, 16, 4, bug);
}

__global__ void use_dynamic(int *out) {
  extern __shared__ int values[];
  values[threadIdx.x] = threadIdx.x;  // BUG memory dynamic_too_small dynamic_forgotten
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x ^ 1];
}
CASE(dynamic_too_small) {
  Buffer<int> out(64);
  use_dynamic<<<1, 64, (bug ? 63 : 64) * sizeof(int)>>>(out);
}
CASE(dynamic_forgotten) {
  Buffer<int> out(64);
  use_dynamic<<<1, 64, bug ? 0 : 64 * sizeof(int)>>>(out);
}

__global__ void use_static(int *out, int shift) {
  __shared__ int first[64];
  __shared__ int second[64];
  const int t = threadIdx.x;
  first[t] = t;
  second[t] = 2 * t;
  __syncthreads();
  out[t] = first[t + shift] + second[t];  // BUG memory static_end static_begin
}
CASE(static_end) {
  Buffer<int> out(64);
  use_static<<<1, 64>>>(out, bug ? 1 : 0);
}
CASE(static_begin) {
  Buffer<int> out(64);
  use_static<<<1, 64>>>(out, bug ? -1 : 0);
}

__global__ void use_tile(int *out, int rows) {
  __shared__ int tile[8][9];
  for (int y = 0; y < rows; ++y) tile[y][threadIdx.x] = y;  // BUG memory tile_rows
  __syncthreads();
  out[threadIdx.x] = tile[7][threadIdx.x];
}
CASE(tile_rows) {
  Buffer<int> out(8);
  use_tile<<<1, 8>>>(out, bug ? 9 : 8);
}

__global__ void read_one(const int *in, int *out) {
  const int t = threadIdx.x;
  out[t] = in[t];  // BUG memory host_pointer stack_pointer null_pointer after_free
}
CASE(host_pointer) {
  std::vector<int> host(64);
  Buffer<int> in(64), out(64);
  read_one<<<1, 64>>>(bug ? host.data() : in.data, out);
}
CASE(stack_pointer) {
  int host[64] = {};
  Buffer<int> in(64), out(64);
  read_one<<<1, 64>>>(bug ? host : in.data, out);
}
CASE(null_pointer) {
  Buffer<int> in(64), out(64);
  read_one<<<1, 64>>>(bug ? nullptr : in.data, out);
}
CASE(after_free) {
  Buffer<int> in(64), out(64);
  int *old;
  cudaMalloc(&old, 64 * sizeof(int));
  cudaMemset(old, 0, 64 * sizeof(int));
  cudaFree(old);
  Buffer<int> newer(64);
  read_one<<<1, 64>>>(bug ? old : in.data, out);
}

__global__ void write_to(int *out) { out[0] = 1; }  // BUG memory host_written
CASE(host_written) {
  int host = 0;
  Buffer<int> out(1);
  write_to<<<1, 1>>>(bug ? &host : out.data);
}

// Memory that kernels take from the heap stays valid for kernels in later launches.
__global__ void take_from_heap(int **blocks) {
  const int t = threadIdx.x;
  blocks[t] = t % 2 ? new int[4] : static_cast<int *>(malloc(4 * sizeof(int)));
}
__global__ void use_blocks(int *const *blocks, int *out, int n) {
  int *block = blocks[threadIdx.x];
  for (int i = 0; i < n; ++i) block[i] = i;  // BUG memory host_heap kernel_heap_end
  out[threadIdx.x] = block[n - 1];
}
__global__ void give_to_heap(int *const *blocks) {
  const int t = threadIdx.x;
  if (t % 2)
    delete[] blocks[t];
  else
    free(blocks[t]);
}
CASE(host_heap) {
  Buffer<int *> blocks(32);
  Buffer<int> out(32);
  take_from_heap<<<1, 32>>>(blocks);
  std::vector<int> host(4);
  int *of_host = host.data();
  if (bug) cudaMemcpy(blocks, &of_host, sizeof of_host, cudaMemcpyHostToDevice);
  use_blocks<<<1, 32>>>(blocks, out, 4);
  if (!bug) give_to_heap<<<1, 32>>>(blocks);
}
CASE(kernel_heap_end) {
  Buffer<int *> blocks(32);
  Buffer<int> out(32);
  take_from_heap<<<1, 32>>>(blocks);
  use_blocks<<<1, 32>>>(blocks, out, bug ? 5 : 4);
  give_to_heap<<<1, 32>>>(blocks);
}

CASE(double_free) {
  int *data;
  cudaMalloc(&data, 4);
  cudaFree(data);
  if (bug) cudaFree(data);  // BUG memory double_free
}

CASE(free_inside) {
  int *data;
  cudaMalloc(&data, 64);
  if (bug) cudaFree(data + 1);  // BUG memory free_inside
  cudaFree(data);
}

CASE(never_freed) {
  int *data;
  cudaMalloc(&data, 132);  // BUG leak never_freed
  if (!bug) cudaFree(data);
}

__global__ void copy_pairs(const float *in, float2 *out, int shift) {
  out[threadIdx.x] = *reinterpret_cast<const float2 *>(in + 2 * threadIdx.x + shift);  // BUG memory misaligned_float2
}
CASE(misaligned_float2) {
  Buffer<float> in(65);
  Buffer<float2> out(32);
  copy_pairs<<<1, 32>>>(in, out, bug);
}

__global__ void copy_quads(const float *in, float4 *out, int shift) {
  out[threadIdx.x] = *reinterpret_cast<const float4 *>(in + 4 * threadIdx.x + shift);  // BUG memory misaligned_float4
}
CASE(misaligned_float4) {
  Buffer<float> in(132);
  Buffer<float4> out(32);
  copy_quads<<<1, 32>>>(in, out, bug);
}

__global__ void write_double(double *out) { *out = 1; }  // BUG memory misaligned_double
CASE(misaligned_double) {
  Buffer<char> out(16);
  write_double<<<1, 1>>>(reinterpret_cast<double *>(out.data + (bug ? 4 : 8)));
}

CASE(freed_twice_in_stream) {
  int *data;
  cudaMallocAsync(&data, 64, nullptr);
  cudaFreeAsync(data, nullptr);
  if (bug) cudaFreeAsync(data, nullptr);  // BUG memory freed_twice_in_stream
}

__constant__ int table[8];
__device__ int totals[8];
__global__ void read_table(int *out, int i) {
  out[0] = table[i];  // BUG memory past_constant
}
__global__ void write_totals(int i) {
  totals[i] = 1;  // BUG memory past_variable
}
CASE(past_constant) {
  Buffer<int> out(1);
  read_table<<<1, 1>>>(out, bug ? 8 : 7);
}
CASE(past_variable) { write_totals<<<1, 1>>>(bug ? 8 : 7); }

// Kernels only read __constant__ memory; the host copies to it.
struct Range {
  int low, high;
};
__constant__ Range limits = {0, 7};
template <class T>
__constant__ T factors[4] = {1, 2, 3, 4};
__device__ void widen(Range *range) {
  range->high = 9;  // BUG memory constant_written
}
__global__ void clamp_all(int *data, bool bug) {
  if (bug && threadIdx.x == 0) widen(&limits);
  Range own = limits;
  widen(&own);
  data[threadIdx.x] = min(data[threadIdx.x], own.high);
}
CASE(constant_written) {
  Buffer<int> data(32);
  const Range range = {0, 8};
  cudaMemcpyToSymbol(limits, &range, sizeof range);
  clamp_all<<<1, 32>>>(data, bug);
}
__global__ void count_up(int *out, bool bug) {
  atomicAdd(bug ? &table[0] : &totals[0], 1);  // BUG memory constant_counted
  out[threadIdx.x] = table[threadIdx.x] * factors<int>[0];
}
CASE(constant_counted) {
  Buffer<int> out(8);
  const int four[4] = {};
  cudaMemcpyToSymbol(factors<int>, four, sizeof four);
  cudaMemcpyToSymbol(table, totals, 0);
  count_up<<<1, 8>>>(out, bug);
}
// The address of the symbol is one of global memory.
__global__ void fill_in(int *to) { to[threadIdx.x] = threadIdx.x; }
__constant__ int filled[8];
CASE(quiet_constant_by_address) {
  int *to;
  cudaGetSymbolAddress(reinterpret_cast<void **>(&to), filled);
  fill_in<<<1, 8>>>(to);
  cudaMemset(to, 0, sizeof filled);
  int host[8] = {};
  cudaMemcpy(to + 1, host, sizeof host - 4, cudaMemcpyHostToDevice);
  cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost);
}
// ---- the limit of a loop, read in its condition from beyond the array
__global__ void sum_up_to_limit(const int *limits, int *out, bool bug) {
  int sum = 0;
  for (int i = 0;
       i < limits[bug ? 2 : 1];  // BUG memory limit_beyond_the_array
       ++i)
    sum += i;
  out[0] = sum;
}
CASE(limit_beyond_the_array) {
  Up<int> limits({3, 4});
  Buffer<int> out(1);
  sum_up_to_limit<<<1, 1>>>(limits, out, bug);
  EXPECT(down<int>(out, 1)[0] == 6);
}
// ---- code for the device's side only
__host__ __device__ int side_of_caller() {
#ifdef __CUDA_ARCH__
  return 1 + blockIdx.x;
#else




  // the lines after a gap keep their numbers
  return 2;
#endif
}
__global__ void for_devices(int *out, int n) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  const int i = threadIdx.x;
  if (i < n) out[i] = side_of_caller();  // BUG memory guard_for_devices
#endif
}
CASE(guard_for_devices) {
  Buffer<int> out(50);
  for_devices<<<1, 64>>>(out, bug ? 64 : 50);
  EXPECT(down<int>(out, 50)[49] == 1 && side_of_caller() == 2);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
