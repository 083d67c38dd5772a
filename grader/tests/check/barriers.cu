// Barriers that not all threads of a block reach.
#include "case.cuh"

__global__ void two_barriers(int *out, bool bug) {
  __shared__ int value[64];
  const int t = threadIdx.x;
  value[t] = t;
  if (bug && t >= 32) {
    out[t] = 0;
    __syncthreads();  // BUG barrier divergent
  } else {
    __syncthreads();  // BUG barrier divergent
    out[t] = value[63 - t];
  }
}
CASE(divergent) {
  Buffer<int> out(64);
  two_barriers<<<1, 64>>>(out, bug);
}

__global__ void barrier_in_branch(int *out, bool bug) {
  __shared__ int value[64];
  const int t = threadIdx.x;
  value[t] = t;
  if (!bug || t % 2 == 0) __syncthreads();  // BUG barrier in_branch
  if (bug) __syncthreads();  // BUG barrier in_branch
  out[t] = value[63 - t];
}
CASE(in_branch) {
  Buffer<int> out(64);
  barrier_in_branch<<<1, 64>>>(out, bug);
}

__global__ void barrier_after_return(int *out, int n, bool bug) {
  __shared__ int value[64];
  const int t = threadIdx.x;
  value[t] = t;
  if (bug && t >= n) return;
  __syncthreads();  // BUG barrier after_return
  if (t < n) out[t] = value[n - 1 - t];
}
CASE(after_return) {
  Buffer<int> out(64);
  barrier_after_return<<<1, 64>>>(out, 40, bug);
}

__global__ void barrier_in_loop(int *out, bool bug) {
  const int t = threadIdx.x;
  for (int i = 0; i <= (bug ? t % 2 : 1); ++i) __syncthreads();  // BUG barrier loop_counts
  out[t] = t;
}
CASE(loop_counts) {
  Buffer<int> out(64);
  barrier_in_loop<<<1, 64>>>(out, bug);
}

__global__ void wait_for_each_other(int *out, bool bug) {
  const int t = threadIdx.x;
  if (bug && t < 32)
    __syncwarp(t < 31 ? 0x7fffffffu : 0x80000000u);
  if (bug && t == 31) {
    __syncthreads();  // BUG barrier deadlock
    __syncwarp();
  } else if (bug && t < 31) {
    __syncwarp();  // BUG barrier deadlock
    __syncthreads();
  } else {
    __syncthreads();
  }
  out[t] = t;
}
CASE(deadlock) {
  Buffer<int> out(32);
  wait_for_each_other<<<1, 32>>>(out, bug);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
