// Barriers in branches, in groups of threads, of the grid, and counted ones.
#include <cooperative_groups.h>

#include <cuda/barrier>

#include "case.cuh"
namespace cg = cooperative_groups;

__global__ void one_warp(int *out, bool bug) {
  __shared__ int v[64];
  const int t = threadIdx.x;
  v[t] = t;
  if (!bug || t / 32 == 0) __syncthreads();  // BUG barrier warp_branch
  if (t / 32 == 0 || !bug) out[t] = v[t];
}
CASE(warp_branch) {
  Buffer<int> out(64);
  one_warp<<<1, 64>>>(out, bug);
}

__global__ void break_in_loop(const int *in, int *out, int n, bool bug) {
  __shared__ int v[64];
  const int t = threadIdx.x;
  int sum = 0;
  for (int base = 0; base < n; base += 64) {
    if (bug && base + t >= n) break;
    v[t] = base + t < n ? in[base + t] : 0;
    __syncthreads();  // BUG barrier break_before_barrier
    sum += v[(t + 1) % 64];
    __syncthreads();
  }
  out[t] = sum;
}
CASE(break_before_barrier) {
  Buffer<int> in(100), out(64);
  break_in_loop<<<1, 64>>>(in, out, 100, bug);
}

__global__ void stride_trips(int *out, int n, bool bug) {
  __shared__ int v;
  for (int i = threadIdx.x; bug ? i < n : i - (int)threadIdx.x < n; i += blockDim.x) {
    if (threadIdx.x == 0) v = i;
    __syncthreads();  // BUG barrier grid_stride_trips
    if (i < n) out[i] = v;
    __syncthreads();
  }
}
CASE(grid_stride_trips) {
  Buffer<int> out(100);
  stride_trips<<<1, 64>>>(out, 100, bug);
}

__global__ void group_sync_branch(int *out, bool bug) {
  auto block = cg::this_thread_block();
  __shared__ int v[64];
  const int t = threadIdx.x;
  v[t] = t;
  if (!bug || t < 40) block.sync();  // BUG barrier group_sync_in_branch
  out[t] = v[t];
}
CASE(group_sync_in_branch) {
  Buffer<int> out(64);
  group_sync_branch<<<1, 64>>>(out, bug);
}

__global__ void tile_sync_branch(int *out, bool bug) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  __shared__ int v[64];
  const int t = threadIdx.x;
  v[t] = t;
  if (!bug || tile.thread_rank() < 8) tile.sync();  // BUG barrier tile_sync_in_branch
  out[t] = v[t ^ (bug ? 0 : 3)];
}
CASE(tile_sync_in_branch) {
  Buffer<int> out(64);
  tile_sync_branch<<<1, 64>>>(out, bug);
}

__global__ void sync_or(int *out, bool bug) {
  const int t = threadIdx.x;
  int any = 0;
  if (!bug || t < 32) any = __syncthreads_or(t == 5);  // BUG barrier vote_barrier_in_branch
  out[t] = any;
}
CASE(vote_barrier_in_branch) {
  Buffer<int> out(64);
  sync_or<<<1, 64>>>(out, bug);
}

__global__ void short_circuit(int *out, bool bug) {
  const int t = threadIdx.x;
  const bool first = t < 20;
  bool both = false;
  if (bug)
    both = first && __syncthreads_and(1);  // BUG barrier short_circuit
  else
    both = __syncthreads_and(1) && first;
  out[t] = both;
}
CASE(short_circuit) {
  Buffer<int> out(64);
  short_circuit<<<1, 64>>>(out, bug);
}

__global__ void switch_paths(int *out, bool bug) {
  __shared__ int v[64];
  const int t = threadIdx.x;
  v[t] = t;
  switch (bug ? t % 3 : 0) {
    case 0:
      __syncthreads();  // BUG barrier in_switch
      break;
    case 1:
      __syncthreads();  // BUG barrier in_switch
      break;
    default:
      __syncthreads();
      break;
  }
  out[t] = v[63 - t];
}
CASE(in_switch) {
  Buffer<int> out(64);
  switch_paths<<<1, 64>>>(out, bug);
}

__global__ void grid_sync_missing(int *data, int *out, bool bug) {
  auto grid = cg::this_grid();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i;
  if (bug && blockIdx.x == 1) return;
  grid.sync();  // BUG barrier grid_sync_after_return
  out[i] = data[127 - i];
}
CASE(grid_sync_after_return) {
  Buffer<int> data(128), out(128);
  int *d = data, *o = out;
  void *arguments[] = {&d, &o, &bug};
  cudaLaunchCooperativeKernel((void *)grid_sync_missing, dim3(2), dim3(64), arguments);
}

__global__ void grid_sync_plain(int *data, int *out) {
  auto grid = cg::this_grid();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i;
  grid.sync();  // BUG barrier grid_sync_not_cooperative
  out[i] = data[127 - i];
}
CASE(grid_sync_not_cooperative) {
  Buffer<int> data(128), out(128);
  int *d = data, *o = out;
  void *arguments[] = {&d, &o};
  if (bug)
    grid_sync_plain<<<2, 64>>>(data, out);
  else
    cudaLaunchCooperativeKernel((void *)grid_sync_plain, dim3(2), dim3(64), arguments);
}

__global__ void arrive_only(int *out, bool bug) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int v[64];
  const int t = threadIdx.x;
  if (t == 0) init(&bar, 64);
  __syncthreads();
  v[t] = t;  // BUG race arrived_not_waited
  auto token = bar.arrive();
  if (!bug) bar.wait(std::move(token));
  out[t] = v[63 - t];  // BUG race arrived_not_waited
}
CASE(arrived_not_waited) {
  Buffer<int> out(64);
  arrive_only<<<1, 64>>>(out, bug);
}

__global__ void coalesced_stale(int *out, bool bug) {
  const int t = threadIdx.x;
  auto active = cg::coalesced_threads();
  int v = t;
  if (!bug || t < 8) v = active.shfl(v, 0);  // BUG barrier coalesced_in_branch
  out[t] = v;
}
CASE(coalesced_in_branch) {
  Buffer<int> out(32);
  coalesced_stale<<<1, 32>>>(out, bug);
}

__global__ void labels(int *out, bool bug) {
  const int t = threadIdx.x;
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto part = cg::labeled_partition(warp, t % 4);
  __shared__ int v[32];
  v[t] = t;  // BUG race partition_too_small
  if (bug)
    part.sync();
  else
    warp.sync();
  out[t] = v[t ^ 1];  // BUG race partition_too_small
}
CASE(partition_too_small) {
  Buffer<int> out(32);
  labels<<<1, 32>>>(out, bug);
}

__global__ void of_two_phases(int *out, bool bug) {
  __shared__ int slot[64];
  auto block = cg::this_thread_block();
  slot[threadIdx.x] = threadIdx.x;  // BUG race arrived_at_a_group_and_read
  auto token = block.barrier_arrive();
  if (!bug) block.barrier_wait(std::move(token));
  out[threadIdx.x] = slot[63 - threadIdx.x];  // BUG race arrived_at_a_group_and_read
  if (bug) block.barrier_wait(std::move(token));
}
CASE(arrived_at_a_group_and_read) {
  Buffer<int> out(64);
  of_two_phases<<<1, 64>>>(out, bug);
  EXPECT(down<int>(out, 64)[0] == 63);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
