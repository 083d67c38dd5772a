// A kernel with a missing barrier is wrong in every order of threads; the correct twin is right in
// every order.
#include <vector>

#include "cuda_on_cpu/control.hpp"
#include "expect.cuh"

using cuda_on_cpu::Order;
constexpr int kThreads = 128, kBlocks = 5;

template <bool with_barrier>
__global__ void mirror(int *out) {
  __shared__ int values[kThreads];
  values[threadIdx.x] = threadIdx.x;
  if constexpr (with_barrier) __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = values[kThreads - 1 - threadIdx.x];
}

__global__ void record_blocks(int *position, int *counter) {
  if (threadIdx.x == 0) position[blockIdx.x] = atomicAdd(counter, 1);
}
__global__ void record_threads(int *position, int *counter) {
  position[threadIdx.x] = atomicAdd(counter, 1);
}

__global__ void mirror_in_warp(int *out) {
  out[threadIdx.x] = __shfl_xor_sync(0xffffffffu, static_cast<int>(threadIdx.x), 31);
}

// Each block waits for the next one, or for the one before it. On a GPU a few blocks run side by side.
__global__ void pass_on(int *values, volatile int *ready, bool from_the_right) {
  __shared__ int given;
  const int last = gridDim.x - 1, me = blockIdx.x;
  const int giver = from_the_right ? me + 1 : me - 1;
  if (threadIdx.x == kThreads / 2) {
    const bool waits = from_the_right ? me < last : me > 0;
    while (waits && ready[giver] == 0) {
    }
    __threadfence();
    given = waits ? values[giver] : 0;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    values[me] = given + 1;
    __threadfence();
    ready[me] = 1;
  }
}

std::vector<int> fetch(const int *device, int n) {
  std::vector<int> host(n);
  cudaMemcpy(host.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost);
  return host;
}

bool is_mirrored(const std::vector<int> &values) {
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] != kThreads - 1 - static_cast<int>(i % kThreads)) return false;
  return true;
}

void check_mirror(int *out) {
  for (const Order order : {Order::forward, Order::reverse, Order::random}) {
    cuda_on_cpu::set_order(order, 7);
    mirror<true><<<kBlocks, kThreads>>>(out);
    EXPECT(is_mirrored(fetch(out, kBlocks * kThreads)));
    mirror<false><<<kBlocks, kThreads>>>(out);
    EXPECT(!is_mirrored(fetch(out, kBlocks * kThreads)));
    mirror_in_warp<<<1, kThreads>>>(out);
    for (int t = 0; t < kThreads; ++t) EXPECT(fetch(out, kThreads)[t] == (t ^ 31));
  }
}

void check_blocks_that_wait(int *out) {
  for (const Order order : {Order::forward, Order::reverse, Order::random})
    for (const bool from_the_right : {false, true}) {
      cuda_on_cpu::set_order(order, 7);
      cudaMemset(out, 0, 2 * kBlocks * sizeof(int));
      pass_on<<<kBlocks, kThreads>>>(out, out + kBlocks, from_the_right);
      EXPECT(cudaDeviceSynchronize() == cudaSuccess);
      for (int b = 0; b < kBlocks; ++b)
        EXPECT(fetch(out, kBlocks)[b] == (from_the_right ? kBlocks - b : b + 1));
    }
}

std::vector<int> positions(bool of_blocks, Order order, unsigned seed, int *out, int *counter) {
  cuda_on_cpu::set_order(order, seed);
  cudaMemset(counter, 0, sizeof(int));
  if (of_blocks)
    record_blocks<<<kThreads, 2>>>(out, counter);
  else
    record_threads<<<1, kThreads>>>(out, counter);
  return fetch(out, kThreads);
}

void check_positions(int *out, int *counter) {
  for (const bool of_blocks : {false, true}) {
    const auto forward = positions(of_blocks, Order::forward, 1, out, counter);
    const auto reverse = positions(of_blocks, Order::reverse, 1, out, counter);
    const auto random = positions(of_blocks, Order::random, 1, out, counter);
    for (int i = 0; i < kThreads; ++i) EXPECT(forward[i] == i && reverse[i] == kThreads - 1 - i);
    EXPECT(random != forward && random != reverse);
    EXPECT(random ==
           positions(of_blocks, Order::random, 1, out, counter));  // only the seed determines it
    EXPECT(random != positions(of_blocks, Order::random, 2, out, counter));
  }
}

int main() {
  int *out, *counter;
  cudaMalloc(&out, kBlocks * kThreads * sizeof(int));
  cudaMalloc(&counter, sizeof(int));
  check_positions(out, counter);
  check_mirror(out);
  check_blocks_that_wait(out);
  return failures() != 0;
}
