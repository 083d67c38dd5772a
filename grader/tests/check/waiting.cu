// Threads that wait: for a flag, for other blocks, for copies that are on their way.
#include "case.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

// ---- flags
__global__ void handed_over(volatile int *value, volatile int *flag, int *out, bool bug) {
  if (blockIdx.x == 0) {
    *value = 42;  // BUG race volatile_value_no_fence
    if (!bug) __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    __threadfence();
    *out = *value;  // BUG race volatile_value_no_fence
  }
}
CASE(volatile_value_no_fence) {
  Buffer<int> data(2), out(1);
  handed_over<<<2, 1>>>(data, data + 1, out, bug);
  EXPECT(down<int>(out, 1)[0] == 42);
}
__global__ void chained(const int *in, int *out, volatile int *sums, volatile int *ready, bool bug) {
  const int b = blockIdx.x;
  int before = 0;
  if (b > 0) {
    int state;
    do state = ready[b - 1];
    while (state == 0);
    before = sums[b - 1];  // BUG race volatile_sum_no_fence
  }
  sums[b] = before + in[b];  // BUG race volatile_sum_no_fence
  if (!bug) __threadfence();
  ready[b] = 1;
  out[b] = before;
}
CASE(volatile_sum_no_fence) {
  Up<int> in(std::vector<int>(8, 5));
  Buffer<int> out(8), sums(8), ready(8);
  chained<<<8, 1>>>(in, out, sums, ready, bug);
  EXPECT(down<int>(out, 8)[7] == 35);
}
__global__ void locked(int *lock, volatile int *balance, bool bug) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *balance = *balance + 1;  // BUG race volatile_under_a_lock
  if (!bug) __threadfence();
  atomicExch(lock, 0);
}
CASE(volatile_under_a_lock) {
  Buffer<int> lock(1), balance(1);
  locked<<<4, 32>>>(lock, balance, bug);
  EXPECT(down<int>(balance, 1)[0] == 4);
}

// One thread of each block looks at a lock or a word, then takes it: two blocks may have looked by then.
__global__ void tested_then_taken(int *lock, int *total, bool bug) {
  for (bool done = false; !done;) {
    const bool taken = bug ? atomicAdd(lock, 0) == 0 && atomicAdd(lock, 1) >= 0 : atomicCAS(lock, 0, 1) == 0;
    if (!taken) continue;
    __threadfence();
    *total += 1;  // BUG race lock_tested_by_add
    __threadfence();
    bug ? atomicSub(lock, 1) : atomicExch(lock, 0);
    done = true;
  }
}
CASE(lock_tested_by_add) {
  Buffer<int> lock(1), total(1);
  tested_then_taken<<<4, 1>>>(lock, total, bug);
  EXPECT(down<int>(total, 1)[0] == 4);
}
// The loop does not show that it waits: the function that it calls does. Who looks and then exchanges gives way,
// twice at most: when the first thread has done so, the other gives way before it completes its state.
__device__ bool is_complete(int *state) { return atomicAdd(state, 0) == 2; }
__device__ void begin(int *state) {
  if (atomicAdd(state, 0) == 0) atomicExch(state, 1);
}
__global__ void awaited_in_function(int *states, int *value, bool bug) {
  if (threadIdx.x == 1) {
    begin(states);
    value[0] = 42;  // BUG race awaited_by_function
    if (!bug) __threadfence();
    atomicExch(states, 2);
    return;
  }
  begin(states + 1);
  begin(states + 2);
  for (bool complete = false; !complete;) complete = is_complete(states);
  __threadfence();
  value[1] = value[0];  // BUG race awaited_by_function
}
CASE(awaited_by_function) {
  Buffer<int> states(3), value(2);
  awaited_in_function<<<1, 2>>>(states, value, bug);
  EXPECT(down<int>(value, 2)[1] == 42);
}
// What one thread has looked at is nothing to another: that one adds without letting others run before.
__global__ void looked_at_by_another(int *looks, const volatile int *flag, int *next, int *out, bool bug) {
  if (threadIdx.x == 0) {
    if (atomicAdd(looks, 0) < 0 || bug) *out = blockIdx.x;  // BUG race look_of_another
    return;
  }
  const int first = atomicAdd(next, 1 + *flag);
  atomicAdd(looks, 1);
  const int second = atomicAdd(next, 1);
  if (second != first + 1) atomicAdd(out + 1, 1);
}
CASE(look_of_another) {
  Buffer<int> looks(1), flag(1), next(1), out(2);
  looked_at_by_another<<<4, 2>>>(looks, flag, next, out, bug);
  EXPECT(down<int>(out, 2)[1] == 0);
}
__global__ void tested_around_volatile(int *lock, volatile int *total, bool bug) {
  for (bool done = false; !done;) {
    if ((bug ? atomicAdd(lock, 0) : atomicCAS(lock, 0, 1)) != 0) continue;
    if (bug) atomicExch(lock, 1);
    __threadfence();
    *total = *total + 1;  // BUG race lock_around_volatile
    __threadfence();
    atomicExch(lock, 0);
    done = true;
  }
}
CASE(lock_around_volatile) {
  Buffer<int> lock(1), total(1);
  tested_around_volatile<<<2, 4>>>(lock, total, bug);
  EXPECT(down<int>(total, 1)[0] == 8);
}
__global__ void polled_then_stored(int *lock, int *total, bool bug) {
  volatile int *seen = lock;
  if (bug) {
    while (*seen != 0) {
    }
    *seen = 1;
  } else {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
  }
  __threadfence();
  *total += 1;  // BUG race lock_stored_after_polling
  __threadfence();
  *seen = 0;
}
CASE(lock_stored_after_polling) {
  Buffer<int> lock(1), total(1);
  polled_then_stored<<<4, 1>>>(lock, total, bug);
  EXPECT(down<int>(total, 1)[0] == 4);
}
__global__ void first_one_writes(int *claimed, int *winner, bool bug) {
  if (bug && *static_cast<volatile int *>(claimed) != 0) return;
  const int before = bug ? atomicMax(claimed, 1) * 0 : atomicAdd(claimed, 1);
  if (before == 0) *winner = blockIdx.x;  // BUG race claimed_after_a_look
}
CASE(claimed_after_a_look) {
  Buffer<int> claimed(1), winner(1);
  first_one_writes<<<4, 1>>>(claimed, winner, bug);
  EXPECT(down<int>(claimed, 1)[0] > 0);
}
__global__ void locked_by_object(int *lock, int *total, bool bug) {
  cuda::atomic_ref<int, cuda::thread_scope_device> taken(*lock);
  for (bool done = false; !done;) {
    int free = 0;
    if (bug ? taken.load() != 0 : !taken.compare_exchange_strong(free, 1)) continue;
    if (bug) taken.fetch_add(1);
    *total += 1;  // BUG race lock_of_an_object
    bug ? static_cast<void>(taken.fetch_sub(1)) : taken.store(0);
    done = true;
  }
}
CASE(lock_of_an_object) {
  Buffer<int> lock(1), total(1);
  locked_by_object<<<4, 1>>>(lock, total, bug);
  EXPECT(down<int>(total, 1)[0] == 4);
}
__global__ void read_by_all(volatile int *value, volatile int *flag, int *out, bool bug) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) *value = 9;  // BUG race block_reads_volatile
    if (threadIdx.x == 0 && !bug) __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
    return;
  }
  if (threadIdx.x == 0)
    while (*flag != 1) {
    }
  __syncthreads();
  out[threadIdx.x] = *value;  // BUG race block_reads_volatile
}
CASE(block_reads_volatile) {
  Buffer<int> value(1), flag(1), out(32);
  read_by_all<<<2, 32>>>(value, flag, out, bug);
  EXPECT(down<int>(out, 32)[31] == 9);
}
// Numbers that others read as they come, and nobody waits for.
__global__ void relaxed_as_it_comes(volatile int *distance, int *head, int n) {
  for (;;) {
    const int i = atomicAdd(head, 1);
    if (i >= n) return;
    const int left = i ? distance[i - 1] : 0;
    if (left + 1 < distance[i]) distance[i] = left + 1;
  }
}
CASE(quiet_chaotic_relaxation) {
  for (const int n : {64, 2000}) {
    Up<int> distance(std::vector<int>(n, 1000));
    Buffer<int> head(1);
    relaxed_as_it_comes<<<4, 16>>>(distance, head, n);
  }
}
// ---- blocks that wait for others
__device__ unsigned arrived;
__device__ void all_blocks(unsigned goal, bool bug) {
  __syncthreads();
  if (threadIdx.x == 0) {
    if (!bug) __threadfence();
    atomicAdd(&arrived, 1u);
    while (atomicAdd(&arrived, 0u) < goal) {
    }
    if (!bug) __threadfence();
  }
  __syncthreads();
}
__global__ void smoothed(float *from, float *to, int n, int steps, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int s = 1; s <= steps; ++s) {
    to[i] = (from[(i + n - 1) % n] + from[(i + 1) % n]) / 2;  // BUG race barrier_of_blocks_no_fence
    all_blocks(s * gridDim.x, bug);
    float *const other = from;
    from = to, to = other;
  }
}
CASE(barrier_of_blocks_no_fence) {
  const unsigned none = 0;
  cudaMemcpyToSymbol(arrived, &none, sizeof none);
  Up<float> a(std::vector<float>(128, 4.0f));
  Buffer<float> b(128);
  smoothed<<<4, 32>>>(a, b, 128, 3, bug);
  EXPECT(down<float>(b, 128)[77] == 4.0f);
}
__global__ void from_the_right(volatile int *ready, int *sums, int n, bool bug) {
  const int b = blockIdx.x;
  if (threadIdx.x == 0) {
    if (b + 1 < n)
      while (!ready[b + 1]) {
      }
    if (!bug) __threadfence();
    sums[b] = (b + 1 < n ? sums[b + 1] : 0) + b;  // BUG race later_block_no_fence
    if (!bug) __threadfence();
    ready[b] = 1;
  }
}
CASE(later_block_no_fence) {
  Buffer<int> ready(8), sums(8);
  from_the_right<<<8, 32>>>(ready, sums, 8, bug);
  EXPECT(down<int>(sums, 8)[0] == 28);
}
// ---- copies that overlap
__global__ void never_committed(const int *in, int *out, bool bug) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], in + t, sizeof(int));
  if (!bug) __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = s[31 - t];  // BUG uninitialised copy_never_committed
}
CASE(copy_never_committed) {
  Up<int> in(counting<int>(32));
  Buffer<int> out(32);
  never_committed<<<1, 32>>>(in, out, bug);
  EXPECT(down<int>(out, 32)[0] == 31);
}
__global__ void one_stage(const int *in, int *out, int tiles, bool bug) {
  __shared__ int s[64];
  const auto block = cg::this_thread_block();
  for (int i = 0; i < tiles; ++i) {
    cg::memcpy_async(block, s, in + i * 64, sizeof(int) * 64);  // BUG race stage_filled_again
    cg::wait(block);
    out[i * 64 + threadIdx.x] = s[63 - threadIdx.x];  // BUG race stage_filled_again
    if (!bug) block.sync();
  }
}
CASE(stage_filled_again) {
  Up<int> in(counting<int>(192));
  Buffer<int> out(192);
  one_stage<<<1, 64>>>(in, out, 3, bug);
  EXPECT(down<int>(out, 192)[191] == 128);
}
__global__ void arrived_early(const int *in, int *out, bool bug) {
  __shared__ int s[32];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  const auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  cuda::memcpy_async(block, s, in, sizeof(int) * 32, bar);  // BUG race token_not_awaited
  auto token = bar.arrive();
  if (!bug) bar.wait(std::move(token));
  out[threadIdx.x] = s[31 - threadIdx.x];  // BUG race token_not_awaited
  if (bug) bar.wait(std::move(token));
}
CASE(token_not_awaited) {
  Up<int> in(counting<int>(32));
  Buffer<int> out(32);
  arrived_early<<<1, 32>>>(in, out, bug);
  EXPECT(down<int>(out, 32)[0] == 31);
}
__global__ void copied_past(const int *in, int *out, int n) {
  __shared__ int s[64];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, in, sizeof(int) * n);  // BUG memory async_copy_past_end
  cg::wait(block);
  out[threadIdx.x] = s[threadIdx.x];
}
CASE(async_copy_past_end) {
  Up<int> in(counting<int>(60));
  Buffer<int> out(64);
  copied_past<<<1, 60>>>(in, out, bug ? 64 : 60);
  EXPECT(down<int>(out, 60)[59] == 59);
}
// A barrier of all blocks, thousands of times; with the bug the last one lacks its fence. After it nobody
// tells anything more: who is late would see the other block's next fence, and its write with that.
__global__ void many_turns(int *data, int *arrived, int turns, bool bug) {
  for (int turn = 1; turn <= turns; ++turn) {
    const bool mine = threadIdx.x == 0 && static_cast<int>(blockIdx.x) != turn % 2;
    if (mine) *data += 1;  // BUG race barrier_of_blocks_the_last_time
    if (turn == turns) return;
    if (!bug || turn != turns - 1) __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      atomicAdd(arrived, 1);
      while (atomicAdd(arrived, 0) < 2 * turn) {
      }
      __threadfence();
    }
    __syncthreads();
    __syncthreads();
  }
}
CASE(barrier_of_blocks_the_last_time) {
  Buffer<int> data(1), arrived(1);
  many_turns<<<2, 32>>>(data, arrived, 1501, bug);
  EXPECT(down<int>(data, 1)[0] == 1501);
}

// ---- orders of atomic objects
__device__ void poll(cuda::atomic_ref<int, cuda::thread_scope_device> flag, int way) {
  const auto order = way == 0 || way > 2 ? cuda::memory_order_relaxed : cuda::memory_order_acquire;
  while (flag.load(order) == 0) {
  }
  if (way == 3) cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
  if (way == 4) __threadfence();
}
__global__ void pass_on(int *turn, int *data, int *flag, int *out, int way) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (atomicAdd(turn, 1) == 0) {
    *data = 42;  // BUG race flag_read_relaxed
    ready.store(1, cuda::memory_order_release);
  } else {
    poll(ready, way);
    *out = *data;  // BUG race flag_read_relaxed
  }
}
CASE(flag_read_relaxed) {
  Buffer<int> turn(3), data(3), flag(3), out(3);
  for (int i = 0; i < 3; ++i)
    pass_on<<<2, 1>>>(turn + i, data + i, flag + i, out + i, bug ? 0 : i + 2);
  EXPECT(down<int>(out, 3)[0] == 42 && down<int>(out, 3)[2] == 42);
}
__global__ void last_adds(const int *in, int *part, int *count, int *out, bool bug) {
  cuda::atomic_ref<int, cuda::thread_scope_device> done(*count);
  part[blockIdx.x] = 2 * in[blockIdx.x];  // BUG race count_that_only_releases
  if (done.fetch_add(1, bug ? cuda::memory_order_release : cuda::memory_order_acq_rel) == 7)
    for (int i = 0; i < 8; ++i) *out += part[i];  // BUG race count_that_only_releases
}
CASE(count_that_only_releases) {
  Up<int> in(counting<int>(8));
  Buffer<int> part(8), count(1), out(1);
  last_adds<<<8, 1>>>(in, part, count, out, bug);
  EXPECT(down<int>(out, 1)[0] == 56);
}
__global__ void locked(int *lock, int *total, bool bug) {
  cuda::atomic_ref<int, cuda::thread_scope_device> taken(*lock);
  while (taken.exchange(1, bug ? cuda::memory_order_relaxed : cuda::memory_order_acquire)) {
  }
  *total += 1;  // BUG race lock_taken_relaxed
  taken.store(0, cuda::memory_order_release);
}
CASE(lock_taken_relaxed) {
  Buffer<int> lock(1), total(1);
  locked<<<4, 1>>>(lock, total, bug);
  EXPECT(down<int>(total, 1)[0] == 4);
}
// Who comes last has only arrived, too.
__global__ void one_consumer(const int *in, int *out, bool bug) {
  __shared__ int s[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  if (threadIdx.x == 0) init(&ready, blockDim.x);
  __syncthreads();
  if (threadIdx.x < 64) {
    s[threadIdx.x] = in[threadIdx.x];  // BUG race arrived_and_read
    ready.arrive();
    return;
  }
  auto token = ready.arrive();
  if (!bug) ready.wait(std::move(token));
  for (int i = 0; i < 64; ++i) *out += s[i];  // BUG race arrived_and_read
}
CASE(arrived_and_read) {
  Up<int> in(counting<int>(64));
  Buffer<int> out(1);
  one_consumer<<<1, 65>>>(in, out, bug);
  EXPECT(down<int>(out, 1)[0] == 2016);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
