// Barriers that not all threads of a block reach.
#include <cooperative_groups.h>

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

// One barrier in a helper, which threads of one block reach by different calls.
__device__ int neighbour(int *value, int t) {
  __syncthreads();
  const int other = value[t ^ 1];
  __syncthreads();
  return other;
}
__global__ void by_branches(int *out, bool bug) {
  __shared__ int value[64];
  const int t = threadIdx.x;
  value[t] = t;
  if (bug && t < 32)
    out[t] = neighbour(value, t);  // BUG barrier by_two_calls
  else
    out[t] = neighbour(value, t) + 1;  // BUG barrier by_two_calls
}
CASE(by_two_calls) {
  Buffer<int> out(64);
  by_branches<<<1, 64>>>(out, bug);
}
// On one line, too, as far as the compiler tells its branches apart.
__global__ void by_condition(int *out, bool bug) {
  __shared__ int value[64];
  const int t = threadIdx.x;
  value[t] = t;
  out[t] = bug && t < 32 ? neighbour(value, t) : neighbour(value, t) + 1;  // BUG barrier by_one_line
}
CASE(by_one_line) {
  Buffer<int> out(64);
  by_condition<<<1, 64>>>(out, bug);
  EXPECT(down<int>(out, 64)[5] == 5);
}
__global__ void two_on_a_line(int *out, int rounds) {
  __shared__ int value[64];
  const int t = threadIdx.x;
  value[t] = t;
  for (int i = 0; i < rounds; ++i) out[t] += neighbour(value, t) - neighbour(value, t) + (t % 2 ? value[0] : value[1]);
}
CASE(quiet_two_on_a_line) {
  Buffer<int> out(64);
  two_on_a_line<<<1, 64>>>(out, 5);
}

template <class T>
__device__ __noinline__ T total(T *value, int t, int count) {
  for (int half = count / 2; half > 0; half /= 2) {
    if (t < half) value[t] += value[t + half];
    __syncthreads();
  }
  const T sum = value[0];
  __syncthreads();
  return sum;
}
__device__ int middle(int *value, int t) { return total(value, t, 64); }
__device__ int outer(int *value, int t, bool bug) {
  if (bug && t % 2) return middle(value, t);  // BUG barrier by_deep_calls
  return middle(value, t);  // BUG barrier by_deep_calls
}
__global__ void by_deep(int *out, bool bug) {
  __shared__ int value[64];
  const int t = threadIdx.x;
  value[t] = t;
  __syncthreads();
  out[t] = outer(value, t, bug);
}
CASE(by_deep_calls) {
  Buffer<int> out(64);
  by_deep<<<1, 64>>>(out, bug);
}

struct Steps {
  int *value;
  __device__ void sync() const { cooperative_groups::this_thread_block().sync(); }
};
__global__ void by_members(int *out, bool bug) {
  __shared__ int value[64];
  const int t = threadIdx.x;
  const auto publish = [&](int x) {
    value[t] = x;
    Steps{value}.sync();
  };
  if (bug && t >= 32) {
    publish(t);  // BUG barrier by_lambda
  } else {
    publish(2 * t);  // BUG barrier by_lambda
  }
  out[t] = value[63 - t];
}
CASE(by_lambda) {
  Buffer<int> out(64);
  by_members<<<1, 64>>>(out, bug);
}

// Different lines in turn, by all; blocks that take different branches; a loop that a compiler may unroll or split.
__global__ void in_turn(int *out, int n) {
  __shared__ int value[64];
  const int t = threadIdx.x;
  value[t] = t;
  int sum = neighbour(value, t);
  sum += neighbour(value, t);
  sum += blockIdx.x % 2 ? neighbour(value, t)
                        : middle(value, t);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    sum += neighbour(value, t);
    __syncthreads();
    if (t < 7 * i) value[t] = sum;
  }
  for (int i = 0; i < n; ++i) sum += i == 2 ? total(value, t, 32) : neighbour(value, t);
  out[64 * blockIdx.x + t] = sum;
}
CASE(quiet_helpers_in_turn) {
  Buffer<int> out(256);
  in_turn<<<4, 64>>>(out, 5);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
