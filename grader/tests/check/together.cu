// Threads that work together: groups, warps, flags, queues, random numbers, kernels that launch kernels.
#include "case.cuh"

#include <cooperative_groups.h>
#include <cuda/barrier>
#include <curand_kernel.h>

namespace cg = cooperative_groups;

// ---- cooperative groups
__global__ void two_phases(int *data, int *out, int n, bool bug) {
  const cg::grid_group grid = cg::this_grid();
  const int i = grid.thread_rank();
  if (i < n) data[i] = i;  // BUG race grid_not_synchronised
  if (bug) cg::this_thread_block().sync();
  else grid.sync();
  if (i < n) out[i] = data[n - 1 - i];  // BUG race grid_not_synchronised
}
CASE(grid_not_synchronised) {
  Buffer<int> data(128), out(128);
  int *d = data, *o = out, n = 128;
  void *arguments[] = {&d, &o, &n, &bug};
  cudaLaunchCooperativeKernel((void *)two_phases, 4, 32, arguments);
  EXPECT(down<int>(out, 128)[0] == 127);
}
__global__ void grid_sync_launched(int *data) {
  data[threadIdx.x] = threadIdx.x;
  cg::this_grid().sync();  // BUG barrier not_a_cooperative_launch
}
CASE(not_a_cooperative_launch) {
  Buffer<int> data(32);
  int *d = data;
  void *arguments[] = {&d};
  if (bug) grid_sync_launched<<<2, 32>>>(data);
  else cudaLaunchCooperativeKernel((void *)grid_sync_launched, 1, 32, arguments);
}
__global__ void tile_sums(const int *in, int *out, bool bug) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  __shared__ int sums[4];
  int value = in[block.thread_rank()];
  for (int d = tile.size() / 2; d > 0; d /= 2) value += tile.shfl_down(value, d);
  if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = value;  // BUG race tile_sync_for_block
  if (bug) tile.sync();
  else block.sync();
  if (block.thread_rank() == 0) *out = sums[0] + sums[1] + sums[2] + sums[3];  // BUG race tile_sync_for_block
}
CASE(tile_sync_for_block) {
  Up<int> in(std::vector<int>(64, 1));
  Buffer<int> out(1);
  tile_sums<<<1, 64>>>(in, out, bug);
  EXPECT(down<int>(out, 1)[0] == 64);
}
// ---- warps
__global__ void aggregate(const int *in, int *out, int n, int *count, bool bug) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    if (in[i] % 2 == 0) {
      const unsigned mask = __activemask();
      const int lane = threadIdx.x % 32, leader = __ffs(mask) - 1;
      int base = 0;
      if (lane == leader) base = atomicAdd(count, __popc(mask));
      base = __shfl_sync(bug ? ~0u : mask, base, leader);  // BUG barrier aggregate_full_mask
      out[base + __popc(mask & ((1u << lane) - 1))] = in[i];
    }
}
CASE(aggregate_full_mask) {
  Up<int> in(counting<int>(96));
  Buffer<int> out(48), count(1);
  aggregate<<<1, 32>>>(in, out, 96, count, bug);
  EXPECT(down<int>(count, 1)[0] == 48);
}
// ---- flags, queues, rings
__global__ void look_back(const int *in, int *out, int *sums, volatile int *flags, int *ticket, bool bug) {
  __shared__ int number;
  if (threadIdx.x == 0) number = atomicAdd(ticket, 1);
  __syncthreads();
  if (threadIdx.x != 0) return;
  int sum = 0;
  for (int i = 0; i < 32; ++i) sum += in[number * 32 + i];
  if (number > 0) {
    while (flags[number - 1] == 0) {}
    __threadfence();
    sum += sums[number - 1];  // BUG race flag_before_value
  }
  if (bug) flags[number] = 1;
  __threadfence();
  sums[number] = sum;  // BUG race flag_before_value
  __threadfence();
  if (!bug) flags[number] = 1;
  out[number] = sum;
}
CASE(flag_before_value) {
  Up<int> in(std::vector<int>(128, 1));
  Buffer<int> out(4), sums(4), flags(4), ticket(1);
  look_back<<<4, 32>>>(in, out, sums, flags, ticket, bug);
  EXPECT(down<int>(out, 4)[3] == 128);
}
__global__ void ring(const int *in, int *out, int rounds, bool bug) {
  __shared__ int slot[2][32];
  const int lane = threadIdx.x % 32;
  const bool produces = threadIdx.x < 32;
  if (produces) slot[0][lane] = in[lane];
  __syncthreads();
  for (int r = 0; r < rounds; ++r) {
    const int now = r % 2, next = bug ? now : 1 - now;
    if (produces && r + 1 < rounds)
      slot[next][lane] = in[(r + 1) * 32 + lane];  // BUG race slot_still_read
    if (!produces) out[r * 32 + lane] = slot[now][31 - lane];  // BUG race slot_still_read
    __syncthreads();
  }
}
CASE(slot_still_read) {
  Up<int> in(counting<int>(128));
  Buffer<int> out(128);
  ring<<<1, 64>>>(in, out, 4, bug);
  EXPECT(down<int>(out, 128)[96] == 127);
}
__global__ void workers(int *next, int n, int *out, bool bug) {
  for (;;) {
    int i;
    if (bug) {
      i = *next;  // BUG race queue_head_plain
      *next = i + 1;  // BUG race queue_head_plain
    } else {
      i = atomicAdd(next, 1);
    }
    if (i >= n) return;
    out[i] = i * i;
  }
}
CASE(queue_head_plain) {
  Buffer<int> next(1), out(100);
  workers<<<2, 16>>>(next, 100, out, bug);
  EXPECT(down<int>(out, 100)[99] == 99 * 99);
}
__global__ void fetch_by_one(int *next, int n, int *out, bool bug) {
  __shared__ int item;
  for (;;) {
    if (threadIdx.x == 0) item = atomicAdd(next, 1);  // BUG race item_overwritten
    __syncthreads();
    const int mine = item;  // BUG race item_overwritten
    if (!bug) __syncthreads();
    if (mine >= n) return;
    out[mine * 32 + threadIdx.x] = mine;
  }
}
CASE(item_overwritten) {
  Buffer<int> next(1), out(8 * 32);
  fetch_by_one<<<2, 32>>>(next, 8, out, bug);
  EXPECT(down<int>(out, 256)[255] == 7);
}
__global__ void lock_add(int *lock, float *total, bool bug) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      if (!bug) __threadfence();
      *total += 1;  // BUG race lock_without_fences
      if (!bug) __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
CASE(lock_without_fences) {
  Buffer<int> lock(1);
  Buffer<float> total(1);
  lock_add<<<4, 32>>>(lock, total, bug);
  EXPECT(down<float>(total, 1)[0] == 128);
}
__global__ void last_block(const float *in, float *partial, float *total, unsigned *done, bool bug) {
  __shared__ bool is_last;
  float sum = in[blockIdx.x * 32 + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;  // BUG race last_block_unfenced
    if (!bug) __threadfence();
    is_last = atomicAdd(done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    float all = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) all += partial[b];  // BUG race last_block_unfenced
    *total = all;
  }
}
CASE(last_block_unfenced) {
  Up<float> in(std::vector<float>(128, 1));
  Buffer<float> partial(4), total(1);
  Buffer<unsigned> done(1);
  last_block<<<4, 32>>>(in, partial, total, done, bug);
  EXPECT(down<float>(total, 1)[0] == 128);
}
__global__ void barrier_of_half(int *out, int expected) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int s[64];
  if (threadIdx.x == 0) init(&bar, expected);
  __syncthreads();
  s[threadIdx.x] = threadIdx.x;  // BUG race barrier_of_half
  bar.arrive_and_wait();
  out[threadIdx.x] = s[63 - threadIdx.x];  // BUG race barrier_of_half
}
CASE(barrier_of_half) {
  Buffer<int> out(64);
  barrier_of_half<<<1, 64>>>(out, bug ? 32 : 64);
  EXPECT(down<int>(out, 64)[0] == 63);
}
// ---- random numbers
__global__ void set_up(curandState *states, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) curand_init(7, i, 0, &states[i]);
}
__global__ void throw_darts(curandState *states, unsigned *hits, int darts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandState state = states[i];  // BUG memory one_state_per_block
  unsigned mine = 0;
  for (int d = 0; d < darts; ++d) {
    const float x = curand_uniform(&state), y = curand_uniform(&state);
    mine += x * x + y * y < 1;
  }
  states[i] = state;
  atomicAdd(hits, mine);
}
CASE(one_state_per_block) {
  const int states_made = bug ? 4 : 128;
  Buffer<curandState> states(states_made, Content::nothing);
  Buffer<unsigned> hits(1);
  set_up<<<4, 32>>>(states, states_made);
  throw_darts<<<4, 32>>>(states, hits, 10);
  const unsigned found = down<unsigned>(hits, 1)[0];
  EXPECT(found > 900 && found < 1100);
}
__global__ void throw_one(curandState *state, float *out, int n, bool bug) {
  const int i = threadIdx.x;
  if (i < n) out[i] = curand_uniform(bug ? state : state + i);  // BUG race one_state_for_all
}
CASE(one_state_for_all) {
  Buffer<curandState> states(32, Content::nothing);
  Buffer<float> out(32);
  set_up<<<1, 32>>>(states, 32);
  throw_one<<<1, 32>>>(states, out, 32, bug);
}
__global__ void throw_two(curandState *states, float *out, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  curandState mine = states[i];  // BUG uninitialised states_not_set_up
  out[i] = curand_uniform(&mine) + curand_normal(&mine);
}
CASE(states_not_set_up) {
  Buffer<curandState> states(32, Content::nothing);
  Buffer<float> out(32);
  if (!bug) set_up<<<1, 32>>>(states, 32);
  throw_two<<<1, 32>>>(states, out, 32);
}
// ---- kernels that launch kernels
__global__ void child(int *data, int n) {
  const int i = threadIdx.x;
  if (i < n) data[i] = i;
}
__global__ void parent_local(int *out, bool bug) {
  int local[32];
  child<<<1, 32>>>(bug ? local : out, 32);  // BUG memory child_gets_local
}
CASE(child_gets_local) {
  Buffer<int> out(32);
  parent_local<<<1, 1>>>(out, bug);
  EXPECT(down<int>(out, 32)[31] == 31);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
