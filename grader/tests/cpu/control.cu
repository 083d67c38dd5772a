// control.hpp: statistics, damaged buffers, the running kernel's name, the last report.
#include <cooperative_groups.h>

#include <string>

#include "cuda_on_cpu/control.hpp"
#include "expect.cuh"

__device__ char seen_name[32];

__global__ void write_from(char *buffer, int first, int count) {
  for (int i = 0; i < count; ++i) buffer[first + i] = 1;
}
__global__ void two_barriers() {
  __syncthreads();
  __syncthreads();
}
__global__ void remember_name() {
  const char *name = cuda_on_cpu::current_kernel();
  for (int i = 0; i < 31 && name[i]; ++i) seen_name[i] = name[i];
}
__global__ void mark_block(int *block) { block[blockIdx.x] = 1; }
__global__ void count_in_grid(int *block, int *arrived) {
  atomicAdd(arrived, 1);
  cooperative_groups::this_grid().sync();
  block[blockIdx.x] = *arrived;
}
__global__ void __cluster_dims__(2) count_in_cluster(int *block, int *arrived) {
  atomicAdd(arrived, 1);
  cooperative_groups::this_cluster().sync();
  block[blockIdx.x] = *arrived;
}
__global__ void add_one(int *count) { ++*count; }
__global__ void read_first(const float *in, int *is_nan) { *is_nan = in[0] != in[0]; }

void check_damage() {
  char *good, *bad;
  cudaMalloc(&good, 100);
  cudaMalloc(&bad, 100);
  EXPECT(cuda_on_cpu::live_buffers() == 2);
  write_from<<<1, 1>>>(good, 0, 100);
  EXPECT(!cuda_on_cpu::find_damaged_buffer());
  EXPECT(cuda_on_cpu::last_diagnostic().empty());
  write_from<<<1, 1>>>(bad, 99, 4);  // three bytes too many
  const auto damaged = cuda_on_cpu::find_damaged_buffer();
  EXPECT(damaged && damaged->pointer == bad && damaged->bytes == 100 &&
         damaged->bytes_behind == 3 && damaged->bytes_before == 0);
  EXPECT(cuda_on_cpu::last_diagnostic() ==
         "memory: wrote 3 bytes beyond the end of a buffer of 100 bytes");
  cudaFree(bad);
  EXPECT(cuda_on_cpu::find_damaged_buffer());  // once more: it may have been freed unseen
  EXPECT(!cuda_on_cpu::find_damaged_buffer());
  write_from<<<1, 1>>>(good, -2, 2);
  EXPECT(cudaFree(good) == cudaSuccess);  // reported here too
  EXPECT(cuda_on_cpu::last_diagnostic() ==
         "memory: wrote 2 bytes before the start of a buffer of 100 bytes");
  EXPECT(cuda_on_cpu::live_buffers() == 0);
}

void check_statistics() {
  cuda_on_cpu::reset_statistics();
  two_barriers<<<dim3(2, 3), dim3(8, 4)>>>();
  two_barriers<<<1, 1>>>();
  two_barriers<<<0, 1>>>();  // refused, so it does not count
  cudaGetLastError();
  const auto s = cuda_on_cpu::launch_statistics();
  EXPECT(s.launches == 2 && s.blocks == 7 && s.threads == 193 && s.barriers == 14 &&
         s.max_threads == 192 && s.max_apart == 6);
  EXPECT(s.texture_fetches == 0);
}

/// How many allocations `work` has made.
template <typename Work>
auto allocations(Work work) {
  cuda_on_cpu::reset_statistics();
  work();
  return cuda_on_cpu::launch_statistics().allocations;
}

// Each way to get memory that kernels use counts, also if it is freed again.
void check_allocations() {
  const auto four_bytes = [](auto allocate, auto free) {
    return [=] {
      int *memory = nullptr;
      EXPECT(allocate(&memory) == cudaSuccess);
      free(memory);
    };
  };
  EXPECT(allocations(four_bytes([](auto p) { return cudaMalloc(p, 4); }, cudaFree)) == 1);
  EXPECT(allocations(four_bytes([](auto p) { return cudaMallocManaged(p, 4); }, cudaFree)) == 1);
  EXPECT(allocations(four_bytes([](auto p) { return cudaMallocAsync(p, 4, nullptr); },
                                [](auto p) { cudaFreeAsync(p, nullptr); })) == 1);
  std::size_t pitch;
  EXPECT(allocations(four_bytes([&](auto p) { return cudaMallocPitch(p, &pitch, 4, 4); },
                                cudaFree)) == 1);
  EXPECT(allocations([] {
           const auto form = cudaCreateChannelDesc<int>();
           cudaArray_t array;
           EXPECT(cudaMallocArray(&array, &form, 4) == cudaSuccess);
           cudaFreeArray(array);
         }) == 1);
  EXPECT(allocations(four_bytes([](auto p) { return cudaMallocHost(p, 4); }, cudaFreeHost)) == 0);
  EXPECT(allocations(four_bytes([](auto p) { return cudaMalloc(p, 0); }, cudaFree)) == 0);
}

void check_names() {
  remember_name<<<1, 1>>>();
  EXPECT(std::string(seen_name) == "remember_name");
  EXPECT(std::string(cuda_on_cpu::current_kernel()).empty());
  cuda_on_cpu::reset_statistics();
  for (int launch = 0; launch < 2; ++launch) remember_name<<<1, 1>>>();
  two_barriers<<<1, 1>>>();
  EXPECT(cuda_on_cpu::launched_kernels() ==
         std::vector<std::string>({"remember_name", "two_barriers"}));
}

void check_fresh_memory() {  // unwritten memory is NaN, also where another buffer was before
  for (int round = 0; round < 3; ++round) {
    float *values;
    int *is_nan, host = 0;
    cudaMalloc(&values, 64);
    cudaMalloc(&is_nan, sizeof(int));
    read_first<<<1, 1>>>(values, is_nan);
    cudaMemcpy(&host, is_nan, sizeof host, cudaMemcpyDeviceToHost);
    EXPECT(host == 1);
    cudaMemset(values, 0, 64);
    cudaFree(values);
    cudaFree(is_nan);
  }
}

void check_refusal() {
  char *memory = nullptr;
  std::size_t free_bytes = 1, total_bytes = 0;
  cuda_on_cpu::refuse_device_memory(true);
  EXPECT(cudaMalloc(&memory, 1) == cudaErrorMemoryAllocation && !memory);
  EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation);
  EXPECT(cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess && free_bytes == 0);
  cuda_on_cpu::refuse_device_memory(false);
  EXPECT(cudaMalloc(&memory, 1) == cudaSuccess && memory);
  EXPECT(cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess && free_bytes > 0);
  EXPECT(cudaFree(memory) == cudaSuccess);
  cuda_on_cpu::refuse_device_memory(true, 1);  // but for one allocation
  char *second = nullptr;
  EXPECT(cudaMalloc(&memory, 1) == cudaSuccess && memory);
  EXPECT(cudaMalloc(&second, 1) == cudaErrorMemoryAllocation && !second);
  EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation);
  cuda_on_cpu::refuse_device_memory(false);
  EXPECT(cudaFree(memory) == cudaSuccess);
}

/// Blocks that may wait for each other do not run, or wait for those alone that run: a quarter of
/// them, at most three, at least one.
void check_few_that_wait(int *device) {
  int *arrived, host[24] = {};
  cudaMalloc(&arrived, sizeof(int));
  const auto run = [&](bool together, bool clusters, int blocks) {
    cudaMemset(device, 0, sizeof host);
    cudaMemset(arrived, 0, sizeof(int));
    void *arguments[] = {&device, &arrived};
    cuda_on_cpu::run_few_blocks(true, 8 + 4, together);
    if (clusters) count_in_cluster<<<blocks, 1>>>(device, arrived);
    else cudaLaunchCooperativeKernel(count_in_grid, dim3(blocks), dim3(1), arguments, 0, nullptr);
    cuda_on_cpu::run_few_blocks(false);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  };
  for (const bool clusters : {false, true}) {
    run(false, clusters, 24);
    for (const int seen : host) EXPECT(seen == 0);
  }
  run(true, false, 12);
  for (int i = 0; i < 24; ++i) EXPECT(host[i] == (i == 0 || i == 3 || i == 11 ? 3 : 0));
  run(true, true, 24);  // clusters 0, 3 and 11
  for (int i = 0; i < 24; ++i)
    EXPECT(host[i] == (i < 2 ? 2 : i == 6 || i == 7 ? 4 : i < 22 ? 0 : 6));
  run(true, false, 8);
  for (int i = 0; i < 24; ++i) EXPECT(host[i] == (i == 0 || i == 7 ? 2 : 0));
  run(true, false, 7);
  for (int i = 0; i < 24; ++i) EXPECT(host[i] == (i == 0));
  run(true, true, 2);
  for (int i = 0; i < 24; ++i) EXPECT(host[i] == (i < 2 ? 2 : 0));
  cudaFree(arrived);
}

/// Of 10 blocks the first and the last two run; of 20 launches the first 16.
void check_few() {
  int *device, host[10] = {};
  cudaMalloc(&device, 24 * sizeof(int));
  cudaMemset(device, 0, sizeof host);
  cuda_on_cpu::run_few_blocks(true, 8 + 4);  // one of the eight blocks between the first and the last
  mark_block<<<10, 1>>>(device);
  cuda_on_cpu::run_few_blocks(false);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 10; ++i) EXPECT(host[i] == (i == 0 || i == 5 || i == 9));
  mark_block<<<10, 1>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 10; ++i) EXPECT(host[i] == 1);
  check_few_that_wait(device);

  cudaMemset(device, 0, sizeof host);
  const auto launches = cuda_on_cpu::launch_statistics().launches;
  cuda_on_cpu::run_few_launches(16);
  for (int i = 0; i < 20; ++i) add_one<<<1, 1>>>(device);
  cuda_on_cpu::run_few_launches(0);
  EXPECT(cuda_on_cpu::launch_statistics().launches == launches + 20);  // also those that did nothing
  cudaMemcpy(host, device, sizeof(int), cudaMemcpyDeviceToHost);
  EXPECT(host[0] == 16);
  add_one<<<1, 1>>>(device);
  cudaMemcpy(host, device, sizeof(int), cudaMemcpyDeviceToHost);
  EXPECT(host[0] == 17);

  cudaMemset(device, 0, sizeof host);
  cuda_on_cpu::run_few_launches(15, 19);  // those from the twentieth on run again
  for (int i = 0; i < 22; ++i) add_one<<<1, 1>>>(device);
  cuda_on_cpu::run_few_launches(0);
  cudaMemcpy(host, device, sizeof(int), cudaMemcpyDeviceToHost);
  EXPECT(host[0] == 15 + 3);
  cudaFree(device);
}

int main() {
  check_damage();
  check_statistics();
  check_allocations();
  check_names();
  check_fresh_memory();
  check_refusal();
  check_few();
  return failures() != 0;
}
