// The lanes of a warp run independently: without __syncwarp() nothing orders them.
#include "case.cuh"

__global__ void reduce_volatile(const int *in, int *out, bool bug) {
  __shared__ int partial[64];
  const int t = threadIdx.x;
  partial[t] = in[t];
  __syncthreads();
  if (t >= 32) return;
  volatile int *sum = partial;
  for (int half = 32; half > 0; half /= 2) {
    const int other = sum[t + half];  // BUG race last_warp
    if (!bug) __syncwarp();
    if (t < half) sum[t] = sum[t] + other;  // BUG race last_warp
    if (!bug) __syncwarp();
  }
  if (t == 0) out[0] = partial[0];
}
CASE(last_warp) {
  Buffer<int> in(64), out(1);
  reduce_volatile<<<1, 64>>>(in, out, bug);
}

__global__ void hand_over(int *out, bool bug) {
  __shared__ int message;
  if (threadIdx.x == 0) message = 42;  // BUG race producer_consumer
  if (!bug) __syncwarp();
  if (threadIdx.x == 31) out[0] = message;  // BUG race producer_consumer
}
CASE(producer_consumer) {
  Buffer<int> out(1);
  hand_over<<<1, 32>>>(out, bug);
}

__global__ void exchange(int *out, bool bug) {
  __shared__ int value[32];
  const int t = threadIdx.x;
  value[t] = t;  // BUG race half_a_warp
  __syncwarp(bug ? (t < 16 ? 0x0000ffffu : 0xffff0000u) : 0xffffffffu);
  out[t] = value[t ^ 16];  // BUG race half_a_warp
}
CASE(half_a_warp) {
  Buffer<int> out(32);
  exchange<<<1, 32>>>(out, bug);
}

__global__ void across_warps(int *out, bool bug) {
  __shared__ int value[64];
  const int t = threadIdx.x;
  value[t] = t;  // BUG race syncwarp_is_no_barrier
  if (bug)
    __syncwarp();
  else
    __syncthreads();
  out[t] = value[t ^ 32];  // BUG race syncwarp_is_no_barrier
}
CASE(syncwarp_is_no_barrier) {
  Buffer<int> out(64);
  across_warps<<<1, 64>>>(out, bug);
}

__global__ void through_global(int *data, bool bug) {
  const int t = threadIdx.x;
  data[t] = t;  // BUG race warp_in_global_memory
  if (!bug) __syncwarp();
  data[32 + t] = data[31 - t];  // BUG race warp_in_global_memory
}
CASE(warp_in_global_memory) {
  Buffer<int> data(64);
  through_global<<<1, 32>>>(data, bug);
}

__global__ void shuffle_in_half(int *out, bool bug) {
  const int t = threadIdx.x;
  const unsigned mask = bug ? 0xffff0000u : 0x0000ffffu;
  int value = t;
  if (t < 16)
    value = __shfl_down_sync(mask, value, 1, 16);  // BUG barrier own_lane_not_in_mask
  out[t] = value;
}
CASE(own_lane_not_in_mask) {
  Buffer<int> out(32);
  shuffle_in_half<<<1, 32>>>(out, bug);
}

__global__ void shuffle_from_absent(int *out, bool bug) {
  const int t = threadIdx.x;
  int value = t;
  if (t < 16) {
    value = __shfl_xor_sync(0x0000ffffu, value, bug ? 16 : 8);  // BUG warning absent_lane
  }
  out[t] = value;
}
CASE(absent_lane) {
  Buffer<int> out(32);
  shuffle_from_absent<<<1, 32>>>(out, bug);
}

__global__ void full_mask_in_branch(int *out, bool bug) {
  const int t = threadIdx.x;
  const unsigned mask = bug ? 0xffffffffu : 0x0000ffffu;
  int value = t;
  if (t < 16)
    value = __shfl_down_sync(mask, value, 1, 16);  // BUG barrier full_mask_in_branch
  else if (bug)
    __syncthreads();  // BUG barrier full_mask_in_branch
  out[t] = value;
}
CASE(full_mask_in_branch) {
  Buffer<int> out(32);
  full_mask_in_branch<<<1, 32>>>(out, bug);
}

__global__ void sum_of_warp(const int *in, int *out, int n, bool bug) {
  const int t = threadIdx.x;
  if (bug && t >= n) return;
  int value = t < n ? in[t] : 0;
  for (int other = 16; other > 0; other /= 2)
    value += __shfl_down_sync(0xffffffffu, value, other);  // BUG barrier lane_has_left
  if (t == 0) *out = value;
}
CASE(lane_has_left) {
  Buffer<int> in(32), out(1);
  sum_of_warp<<<1, 32>>>(in, out, 20, bug);
}

__global__ void reduce_in_step(volatile int *data, bool bug) {
  const int t = threadIdx.x;
  for (int half = 16; half > 0; half /= 2) {
    const int other = t < half ? data[t + half] : 0;  // BUG race volatile_in_global
    if (!bug) __syncwarp();
    if (t < half) data[t] = data[t] + other;  // BUG race volatile_in_global
    if (!bug) __syncwarp();
  }
}
CASE(volatile_in_global) {
  Buffer<int> data(32);
  reduce_in_step<<<1, 32>>>(data, bug);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
