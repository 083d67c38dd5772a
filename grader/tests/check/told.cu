// Kernels in two streams that tell each other by flags: release and acquire, fences, locks.
#include <cuda/atomic>

#include "case.cuh"

struct TwoStreams {
  TwoStreams() {
    for (cudaStream_t *one : {&first, &second})
      cudaStreamCreateWithFlags(one, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
  }
  ~TwoStreams() {
    cudaDeviceSynchronize();
    for (cudaStream_t one : {first, second}) cudaStreamDestroy(one);
  }
  cudaStream_t first, second;
};
using Reference = cuda::atomic_ref<int, cuda::thread_scope_system>;

__global__ void publish(int *data, int *flag, bool bug) {
  if (!bug) *data = 7;
  Reference(*flag).store(1, cuda::memory_order_release);
  if (bug) *data = 7;  // BUG race data_after_the_flag
}
__global__ void consume(const int *data, int *flag, int *out) {
  while (!Reference(*flag).load(cuda::memory_order_acquire)) {
  }
  *out = *data;  // BUG race data_after_the_flag
}
CASE(data_after_the_flag) {
  Buffer<int> data(1), flag(1), out(1);
  TwoStreams streams;
  publish<<<1, 1, 0, streams.first>>>(data, flag, bug);
  consume<<<1, 1, 0, streams.second>>>(data, flag, out);
  cudaDeviceSynchronize();
  EXPECT(down<int>(out, 1)[0] == 7);
}

__global__ void produce(int *data, volatile int *flag, bool bug) {
  data[threadIdx.x] = threadIdx.x;  // BUG race flag_of_another_stream_no_fence
  if (!bug) __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) *flag = 1;
}
__global__ void reverse(const int *data, volatile int *flag, int *out) {
  if (threadIdx.x == 0)
    while (*flag == 0) {
    }
  __syncthreads();
  __threadfence_system();
  out[threadIdx.x] = data[63 - threadIdx.x];  // BUG race flag_of_another_stream_no_fence
}
CASE(flag_of_another_stream_no_fence) {
  Buffer<int> data(64), flag(1), out(64);
  TwoStreams streams;
  produce<<<1, 64, 0, streams.first>>>(data, flag, bug);
  reverse<<<1, 64, 0, streams.second>>>(data, flag, out);
  cudaDeviceSynchronize();
  EXPECT(down<int>(out, 64)[1] == 62);
}

// A count that both change is no flag that one has waited for.
__global__ void last_adds(const int *in, int *part, unsigned *count, int *out) {
  part[blockIdx.x] = in[blockIdx.x];  // BUG race one_count_for_two_streams
  __threadfence();
  if (atomicInc(count, gridDim.x - 1) != gridDim.x - 1) return;
  __threadfence();
  int sum = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) sum += part[i];
  *out = sum;
}
CASE(one_count_for_two_streams) {
  Up<int> in(counting<int>(8));
  Buffer<int> part(16), out(2);
  Buffer<unsigned> count(2);
  TwoStreams streams;
  const int other = bug ? 0 : 1;
  last_adds<<<8, 1, 0, streams.first>>>(in, part, count, out);
  last_adds<<<8, 1, 0, streams.second>>>(in, part + 8 * other, count + other, out + 1);
  cudaDeviceSynchronize();
  EXPECT(down<int>(out, 2)[1] == 28);
}

__global__ void add_blocks(int *lock, int *sum, bool locks) {
  if (locks)
    while (atomicCAS(lock, 0, 1)) {
    }
  __threadfence();
  *sum += blockIdx.x;  // BUG race lock_of_two_streams
  __threadfence();
  if (locks) atomicExch(lock, 0);
}
CASE(lock_of_two_streams) {
  Buffer<int> lock(1), sum(1);
  TwoStreams streams;
  add_blocks<<<4, 1, 0, streams.first>>>(lock, sum, true);
  add_blocks<<<bug ? 1 : 4, 1, 0, streams.second>>>(lock, sum, !bug);
  cudaDeviceSynchronize();
  EXPECT(down<int>(sum, 1)[0] == 12);
}

// Locks that are not given back, or in a circle.
__global__ void transfer(int *locks, int *account, bool bug) {
  const int first = bug ? blockIdx.x : 0, second = 1 - first;
  while (atomicCAS(&locks[first], 0, 1)) {  // BUG barrier locks_in_a_circle
  }
  atomicAdd(&locks[2], 1);
  while (bug && atomicAdd(&locks[2], 0) < 2) {
  }
  while (atomicCAS(&locks[second], 0, 1)) {  // BUG barrier locks_in_a_circle
  }
  __threadfence();
  account[first] -= 1, account[second] += 1;
  __threadfence();
  atomicExch(&locks[second], 0);
  atomicExch(&locks[first], 0);
}
CASE(locks_in_a_circle) {
  Buffer<int> locks(3), account(2);
  transfer<<<2, 1>>>(locks, account, bug);
  EXPECT(down<int>(account, 2)[1] == 2);
}

__global__ void keep_maximum(int *lock, int *maximum, const int *in, bool bug) {
  while (atomicExch(lock, 1)) {  // BUG barrier lock_kept_by_who_finds_no_more
  }
  __threadfence();
  if (in[threadIdx.x] <= *maximum && bug) return;
  if (in[threadIdx.x] > *maximum) *maximum = in[threadIdx.x];
  __threadfence();
  atomicExch(lock, 0);
}
CASE(lock_kept_by_who_finds_no_more) {
  Up<int> in(std::vector<int>{4, 1, 7, 3, 9, 2, 8, 5});
  Buffer<int> lock(1), maximum(1);
  keep_maximum<<<1, 8>>>(lock, maximum, in, bug);
  EXPECT(down<int>(maximum, 1)[0] == 9);
}

// It gives back another lock than it took. Who gives up by himself is not stuck.
__global__ void write_once(int *locks, int *value, bool bug) {
  int attempts = 0;
  while (atomicCAS(locks, 0, 1))  // BUG barrier another_lock_given_back
    if (!bug && ++attempts == 20'000) return;
  *value += 1;
  __threadfence();
  atomicExch(&locks[1], 0);
}
CASE(another_lock_given_back) {
  Buffer<int> locks(2), value(1);
  write_once<<<2, 1>>>(locks, value, bug);
  EXPECT(down<int>(value, 1)[0] == 1);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
