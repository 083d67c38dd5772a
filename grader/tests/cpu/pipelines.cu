// cuda::barrier, cuda::pipeline, copies with them, and kernels that launch kernels.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>

#include "expect.cuh"

namespace cg = cooperative_groups;
using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int kThreads = 64, kStages = 2, kTiles = 5;

__global__ void neighbours(const int *in, int *out) {
  __shared__ BlockBarrier barrier;
  __shared__ int values[kThreads];
  const cg::thread_block block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  block.sync();
  for (int round = 0; round < 3; ++round) {
    cuda::memcpy_async(block, values, in + round * kThreads, sizeof values, barrier);
    BlockBarrier::arrival_token token = barrier.arrive();
    barrier.wait(std::move(token));
    out[round * kThreads + threadIdx.x] = values[kThreads - 1 - threadIdx.x];
    barrier.arrive_and_wait();
  }
}

// The same exchange by functions; half of the threads leave after the first round.
__global__ void neighbours_by_primitives(const int *in, int *out) {
  __shared__ __mbarrier_t written, read;
  __shared__ int values[kThreads];
  if (threadIdx.x == 0) {
    __mbarrier_init(&written, blockDim.x);
    __mbarrier_init(&read, blockDim.x);
  }
  __syncthreads();
  const int last = kThreads - 1 - static_cast<int>(threadIdx.x);
  values[threadIdx.x] = in[threadIdx.x];
  const __mbarrier_token_t token = __mbarrier_arrive(&written);
  while (!__mbarrier_test_wait(&written, token)) continue;
  out[threadIdx.x] = values[last];
  if (threadIdx.x >= kThreads / 2) {
    __mbarrier_arrive_and_drop(&read);
    return;
  }
  __mbarrier_arrive(&read);
  while (!__mbarrier_try_wait_parity(&read, false, 100)) continue;
  values[threadIdx.x] = 7;
  const __mbarrier_token_t again = __mbarrier_arrive(&read);
  while (!__mbarrier_try_wait(&read, again, 100)) continue;
  out[threadIdx.x] += values[kThreads / 2 - 1 - threadIdx.x];
}

// Warp 0 fills what warp 1 adds up.
__global__ void produce_and_consume(const int *in, int *out) {
  __shared__ int tiles[kStages][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  const cg::thread_block block = cg::this_thread_block();
  const bool produces = threadIdx.x < 32;
  const int lane = threadIdx.x % 32;
  auto pipe = cuda::make_pipeline(
      block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  for (int tile = 0; tile < kTiles; ++tile) {
    if (produces) {
      pipe.producer_acquire();
      cuda::memcpy_async(&tiles[tile % kStages][lane], in + tile * 32 + lane, sizeof(int), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      atomicAdd(&out[tile], tiles[tile % kStages][31 - lane]);
      pipe.consumer_release();
    }
  }
}

__global__ void double_buffer(const int *in, int *out) {
  __shared__ int tiles[kStages][kThreads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  const cg::thread_block block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int next = 0, tile = 0; tile < 3; ++tile) {
    for (; next < 3 && next < tile + kStages; ++next) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, tiles[next % kStages], in + next * kThreads,
                         cuda::aligned_size_t<4>(sizeof tiles[0]), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += tiles[tile % kStages][kThreads - 1 - threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

__global__ void one_thread_each(const int *in, int *out) {
  __shared__ int values[kThreads];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(values + threadIdx.x, in + threadIdx.x, sizeof(int), pipe);
  pipe.producer_commit();
  cuda::pipeline_consumer_wait_prior<0>(pipe);
  __syncthreads();
  out[threadIdx.x] = values[kThreads - 1 - threadIdx.x];
  __syncthreads();
  __pipeline_memcpy_async(values + threadIdx.x, in + kThreads + threadIdx.x, sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[kThreads + threadIdx.x] = values[threadIdx.x];
}

__global__ void grow(int *data, int depth) {
  data[threadIdx.x] += 1;
  if (depth > 0 && threadIdx.x == 0) grow<<<1, blockDim.x>>>(data, depth - 1);
}
__global__ void double_all(int *data) { data[threadIdx.x] *= 2; }
__global__ void launch_two(int *data) {
  if (threadIdx.x) return;
  double_all<<<1, kThreads, 0, cudaStreamTailLaunch>>>(data);
  grow<<<1, kThreads, 0, cudaStreamFireAndForget>>>(data, 2);
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  grow<<<1, 1025, 0, stream>>>(data, 0);
  if (cudaGetLastError() != cudaErrorInvalidConfiguration) data[0] = 1000;
  cudaStreamDestroy(stream);
}

int main() {
  constexpr int count = 3 * kThreads;
  int host[count], *in, *out;
  for (int i = 0; i < count; ++i) host[i] = i;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  const auto result = [&](int i) { return from_device(out + i); };

  neighbours<<<1, kThreads>>>(in, out);
  EXPECT(result(0) == 63 && result(kThreads) == 127 && result(2 * kThreads + 5) == 186);
  neighbours_by_primitives<<<1, kThreads>>>(in, out);
  EXPECT(result(0) == 63 + 7 && result(31) == 32 + 7 && result(32) == 31 && result(63) == 0);
  cudaMemset(out, 0, sizeof host);
  produce_and_consume<<<1, 64>>>(in, out);
  EXPECT(result(0) == 31 * 16 && result(4) == 31 * 16 + 4 * 32 * 32);
  double_buffer<<<1, kThreads>>>(in, out);
  EXPECT(result(0) == 63 + 127 + 191 && result(63) == 64 + 128);
  one_thread_each<<<1, kThreads>>>(in, out);
  EXPECT(result(0) == 63 && result(kThreads) == 64);
  cudaMemset(out, 0, sizeof host);
  launch_two<<<1, 32>>>(out);
  EXPECT(result(0) == 6 && result(63) == 6);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration || cudaGetLastError() == cudaSuccess);
  cudaFree(in);
  cudaFree(out);
  return failures();
}
