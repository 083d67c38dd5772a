// Copies that overlap: barriers with arrivals and phases, pipelines, and buffers in turn.
#include "case.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void too_few_arrivals(const int *in, int *out, bool bug) {
  __shared__ int s[64];
  __shared__ Barrier bar;
  const int t = threadIdx.x;
  if (t == 0) init(&bar, bug ? 32 : 64);
  __syncthreads();
  s[t] = in[t];  // BUG race barrier_expects_fewer
  bar.arrive_and_wait();
  out[t] = s[63 - t];  // BUG race barrier_expects_fewer
}
CASE(barrier_expects_fewer) {
  Up<int> in(counting<int>(64));
  Buffer<int> out(64);
  too_few_arrivals<<<1, 64>>>(in, out, bug);
  EXPECT(down<int>(out, 64)[0] == 63);
}
__global__ void set_up_late(const int *in, int *out, bool bug) {
  __shared__ int s[64];
  __shared__ Barrier bar;
  const int t = threadIdx.x;
  if (t == 0) init(&bar, 64);  // BUG race barrier_set_up_late
  if (!bug) __syncthreads();
  s[t] = in[t];
  bar.arrive_and_wait();  // BUG race barrier_set_up_late
  out[t] = s[63 - t];
}
CASE(barrier_set_up_late) {
  Up<int> in(counting<int>(64));
  Buffer<int> out(64);
  set_up_late<<<1, 64>>>(in, out, bug);
  EXPECT(down<int>(out, 64)[0] == 63);
}
__global__ void two_tokens(const int *in, int *out, int rounds, bool bug) {
  __shared__ int s[64];
  __shared__ Barrier bar;
  const int t = threadIdx.x;
  if (t == 0) init(&bar, 64);
  __syncthreads();
  for (int r = 0; r < rounds; ++r) {
    s[t] = in[r * 64 + t];  // BUG race one_arrival_a_round
    bar.arrive_and_wait();
    out[r * 64 + t] = s[63 - t];  // BUG race one_arrival_a_round
    if (!bug) bar.arrive_and_wait();
  }
}
CASE(one_arrival_a_round) {
  Up<int> in(counting<int>(192));
  Buffer<int> out(192);
  two_tokens<<<1, 64>>>(in, out, 3, bug);
  EXPECT(down<int>(out, 192)[128] == 191);
}
__global__ void copied_by_barrier(const int *in, int *out, int count, bool bug) {
  __shared__ int s[64];
  __shared__ Barrier bar;
  const auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  cuda::memcpy_async(block, s, in, bug ? count : sizeof(int) * count, bar);
  bar.arrive_and_wait();
  out[threadIdx.x] = s[63 - threadIdx.x];  // BUG uninitialised async_count_instead_of_bytes
}
CASE(async_count_instead_of_bytes) {
  Up<int> in(counting<int>(64));
  Buffer<int> out(64);
  copied_by_barrier<<<1, 64>>>(in, out, 64, bug);
  EXPECT(down<int>(out, 64)[0] == 63);
}
__global__ void filled_and_drained(const float *in, float *out, int rounds, bool bug) {
  __shared__ float s[32];
  __shared__ Barrier full, empty;
  if (threadIdx.x == 0) {
    init(&full, 64);
    init(&empty, 64);
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  const bool produces = threadIdx.x < 32;
  for (int r = 0; r < rounds; ++r) {
    if (produces) {
      if (r > 0) empty.arrive_and_wait();
      s[lane] = in[r * 32 + lane];  // BUG race refilled_before_drained
      (void)full.arrive();
    } else {
      full.arrive_and_wait();
      if (r + 1 < rounds && bug) (void)empty.arrive();
      out[r * 32 + lane] = s[31 - lane];  // BUG race refilled_before_drained
      if (r + 1 < rounds && !bug) (void)empty.arrive();
    }
  }
}
CASE(refilled_before_drained) {
  Up<float> in(counting<float>(96));
  Buffer<float> out(96);
  filled_and_drained<<<1, 64>>>(in, out, 3, bug);
  EXPECT(down<float>(out, 96)[64] == 95);
}
__global__ void drops_out(int *out, int n, bool bug) {
  __shared__ Barrier bar;
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t == 0) init(&bar, 64);
  __syncthreads();
  if (t >= n) {
    if (!bug) bar.arrive_and_drop();
    return;
  }
  s[t] = t;
  bar.arrive_and_wait();  // BUG barrier left_without_dropping
  out[t] = s[n - 1 - t];
}
CASE(left_without_dropping) {
  Buffer<int> out(64);
  drops_out<<<1, 64>>>(out, 48, bug);
  EXPECT(down<int>(out, 64)[0] == 47);
}

// ---- pipelines of a thread
__global__ void stages_in_turn(const int *in, int *out, int tiles, bool bug) {
  __shared__ int s[2][64];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&s[0][t], in + t, sizeof(int));
  __pipeline_commit();
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) __pipeline_memcpy_async(&s[(i + 1) % 2][t], in + (i + 1) * 64 + t, sizeof(int));
    if (i + 1 < tiles || !bug) __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[i * 64 + t] = s[i % 2][63 - t];  // BUG uninitialised last_stage_not_waited
    __syncthreads();
  }
}
CASE(last_stage_not_waited) {
  Up<int> in(counting<int>(192));
  Buffer<int> out(192);
  stages_in_turn<<<1, 64>>>(in, out, 3, bug);
  EXPECT(down<int>(out, 192)[128] == 191);
}
__global__ void own_stage_only(const int *in, int *out, bool bug) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], in + t, sizeof(int));  // BUG race others_copies_not_joined
  __pipeline_commit();
  __pipeline_wait_prior(0);
  if (!bug) __syncthreads();
  out[t] = s[63 - t];  // BUG race others_copies_not_joined
}
CASE(others_copies_not_joined) {
  Up<int> in(counting<int>(64));
  Buffer<int> out(64);
  own_stage_only<<<1, 64>>>(in, out, bug);
  EXPECT(down<int>(out, 64)[0] == 63);
}
__global__ void block_pipeline(const int *in, int *out, int tiles, bool bug) {
  constexpr int kStages = 2;
  __shared__ int s[kStages][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> states;
  const auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &states);
  const auto fill = [&](int i) {
    pipe.producer_acquire();
    cuda::memcpy_async(block, s[i % kStages], in + i * 32, sizeof(int) * 32, pipe);  // BUG race stage_by_wrong_number
    pipe.producer_commit();
  };
  fill(0);
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) fill(i + 1);
    pipe.consumer_wait();
    const int stage = bug ? (i + 1) % kStages : i % kStages;
    out[i * 32 + threadIdx.x] = s[stage][31 - threadIdx.x];  // BUG race stage_by_wrong_number
    pipe.consumer_release();
  }
}
CASE(stage_by_wrong_number) {
  Up<int> in(counting<int>(96));
  Buffer<int> out(96);
  block_pipeline<<<1, 32>>>(in, out, 3, bug);
  EXPECT(down<int>(out, 96)[64] == 95);
}
// ---- buffers in turn
__global__ void two_halves(const int *in, int *out, int tiles, bool bug) {
  __shared__ int s[2][64];
  const int t = threadIdx.x;
  int next = in[t];
  for (int i = 0; i < tiles; ++i) {
    int *const half = s[bug ? 0 : i % 2];
    half[t] = next;  // BUG race both_halves_are_one
    __syncthreads();
    if (i + 1 < tiles) next = in[(i + 1) * 64 + t];
    out[i * 64 + t] = half[63 - t];  // BUG race both_halves_are_one
  }
}
CASE(both_halves_are_one) {
  Up<int> in(counting<int>(256));
  Buffer<int> out(256);
  two_halves<<<1, 64>>>(in, out, 4, bug);
  EXPECT(down<int>(out, 256)[192] == 255);
}
__global__ void produce(int *ring, int *head, int size, int count) {
  for (int i = 0; i < count; ++i) ring[(*head + i) % size] = i;
  *head += count;
}
__global__ void consume(const int *ring, const int *head, int *sum, int size, int more) {
  for (int i = 0; i < *head + more; ++i) *sum += ring[i % size];  // BUG uninitialised ring_past_head
}
CASE(ring_past_head) {
  Buffer<int> ring(16, Content::nothing), head(1), sum(1);
  produce<<<1, 1>>>(ring, head, 16, 10);
  consume<<<1, 1>>>(ring, head, sum, 16, bug ? 1 : 0);
  EXPECT(down<int>(sum, 1)[0] == 45);
}

// ---- what a copy at once needs of its addresses
__global__ void copy_four_at_once(const float *in, float *out, int first) {
  __shared__ alignas(16) float s[4];
  if (threadIdx.x == 0) {
    __pipeline_memcpy_async(s, in + first, 16);  // BUG memory copy_misaligned
    __pipeline_commit();
    __pipeline_wait_prior(0);
    *out = s[0];
  }
}
CASE(copy_misaligned) {
  const Up<float> in(counting<float>(8));
  const Buffer<float> out(1);
  copy_four_at_once<<<1, 32>>>(in, out, bug ? 2 : 4);
  EXPECT(down<float>(out, 1)[0] == 4);
}
struct Three {
  short a, b, c;
};
__global__ void copy_three_at_once(const Three *in, Three *out, bool bug) {
  __shared__ Three s[32];
  const int t = threadIdx.x;
  if (bug) __pipeline_memcpy_async(&s[t], &in[t], sizeof(Three));  // BUG memory six_bytes_at_once
  else s[t] = in[t];
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[t] = s[t];
}
CASE(six_bytes_at_once) {
  const Up<Three> in(std::vector<Three>(32, Three{1, 2, 3}));
  const Buffer<Three> out(32);
  copy_three_at_once<<<1, 32>>>(in, out, bug);
  EXPECT(down<Three>(out, 32)[31].c == 3);
}
// ---- a pipeline of two stages of which none is given back
__global__ void two_stages(const int *in, int *out, bool bug) {
  __shared__ int s[2][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state);
  const int t = threadIdx.x;
  int sum = 0;
  for (int load = 0, use = 0; use < 4; ++use) {
    for (; load < 4 && load < use + 2; ++load) {
      pipe.producer_acquire();  // BUG barrier never_released
      cuda::memcpy_async(&s[load % 2][t], in + load * 32 + t, sizeof(int), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += s[use % 2][31 - t];
    if (!bug) pipe.consumer_release();
  }
  out[t] = sum;
}
CASE(never_released) {
  const Up<int> in(counting<int>(128));
  const Buffer<int> out(32);
  two_stages<<<1, 32>>>(in, out, bug);
  EXPECT(down<int>(out, 32)[31] == 192);
}

// ---- two copies, and a barrier for each
__global__ void two_halves(const int *in, int *out, bool bug) {
  __shared__ alignas(16) int s[2][64];
  __shared__ cuda::barrier<cuda::thread_scope_block> ready[2];
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&ready[0], 64), init(&ready[1], 64);
  block.sync();
  cuda::memcpy_async(block, s[0], in, sizeof s[0], ready[0]);
  cuda::memcpy_async(block, s[1], in + 64, sizeof s[1], ready[1]);
  ready[0].arrive_and_wait();
  const int a = s[bug ? 1 : 0][63 - threadIdx.x];  // BUG uninitialised barrier_of_the_other_half
  ready[1].arrive_and_wait();
  out[threadIdx.x] = a + s[bug ? 0 : 1][threadIdx.x];
}
CASE(barrier_of_the_other_half) {
  Up<int> in(counting<int>(128));
  Buffer<int> out(64);
  two_halves<<<1, 64>>>(in, out, bug);
  EXPECT(down<int>(out, 64)[0] == 127);
}
// One thread copies; all wait at the barrier, or at a barrier of the block that knows nothing of it.
__global__ void copied_by_one(const int *in, int *out, bool bug) {
  __shared__ int s[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  if (threadIdx.x == 0) init(&ready, 64);
  __syncthreads();
  if (threadIdx.x == 0) cuda::memcpy_async(s, in, cuda::aligned_size_t<4>(sizeof s), ready);
  auto token = ready.arrive();
  if (bug) __syncthreads();
  else ready.wait(std::move(token));
  out[threadIdx.x] = s[threadIdx.x];  // BUG uninitialised copy_not_awaited_at_its_barrier
}
CASE(copy_not_awaited_at_its_barrier) {
  Up<int> in(counting<int>(64));
  Buffer<int> out(64);
  copied_by_one<<<1, 64>>>(in, out, bug);
  EXPECT(down<int>(out, 64)[63] == 63);
}
// A token that nobody waits with is no order.
__global__ void only_arrives(const int *in, int *out, bool bug) {
  __shared__ int s[64];
  __shared__ __mbarrier_t ready;
  if (threadIdx.x == 0) __mbarrier_init(&ready, 64);
  __syncthreads();
  s[threadIdx.x] = in[threadIdx.x];  // BUG race mbarrier_not_waited_for
  const __mbarrier_token_t token = __mbarrier_arrive(&ready);
  while (!bug && !__mbarrier_test_wait(&ready, token)) continue;
  out[threadIdx.x] = s[63 - threadIdx.x];  // BUG race mbarrier_not_waited_for
}
CASE(mbarrier_not_waited_for) {
  Up<int> in(counting<int>(64));
  Buffer<int> out(64);
  only_arrives<<<1, 64>>>(in, out, bug);
}
int main(int count, char **arguments) { return run_case(count, arguments); }
