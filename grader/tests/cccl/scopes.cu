// The scopes of cuda::atomic.
#include <cuda/atomic>

#include "../check/case.cuh"

// ---- an atomic of the block between blocks
__global__ void block_scope(int *total, int *wide, bool bug) {
  if (bug) {
    cuda::atomic_ref<int, cuda::thread_scope_block> sum(*total);
    sum.fetch_add(1, cuda::memory_order_relaxed);  // BUG race scope_of_a_block
  } else {
    cuda::atomic_ref<int, cuda::thread_scope_device> sum(*total);
    sum.fetch_add(1, cuda::memory_order_relaxed);
  }
  cuda::atomic_ref<int, cuda::thread_scope_block> own(wide[blockIdx.x]);
  own.fetch_add(1, cuda::memory_order_relaxed);
}
CASE(scope_of_a_block) {
  Buffer<int> total(1), wide(4);
  block_scope<<<4, 32>>>(total, wide, bug);
  EXPECT(down<int>(total, 1)[0] == 128 && down<int>(wide, 4)[3] == 32);
}
__device__ cuda::atomic<int, cuda::thread_scope_block> narrow_tickets{0};
__device__ cuda::atomic<int, cuda::thread_scope_device> tickets{0};
__global__ void take_tickets(int *out, bool bug) {
  const int mine = bug ? narrow_tickets.fetch_add(1) : tickets.fetch_add(1);  // BUG race tickets_of_a_block
  out[mine % 64] = 1;
}
CASE(tickets_of_a_block) {
  Buffer<int> out(64);
  take_tickets<<<2, 32>>>(out, bug);
  EXPECT(down<int>(out, 64)[63] == 1);
}
__global__ void flag_of_a_block(int *data, int *flag, int *turn, int *out, bool bug) {
  if (atomicAdd(turn, 1) == 0) {
    *data = 7;  // BUG race flag_of_a_block
    if (bug) cuda::atomic_ref<int, cuda::thread_scope_block>(*flag).store(1, cuda::memory_order_release);
    else cuda::atomic_ref<int, cuda::thread_scope_device>(*flag).store(1, cuda::memory_order_release);
  } else {
    const cuda::atomic_ref<int, cuda::thread_scope_device> seen(*flag);
    while (seen.load(cuda::memory_order_acquire) == 0) {}
    *out = *data;  // BUG race flag_of_a_block
  }
}
CASE(flag_of_a_block) {
  Buffer<int> data(1), flag(1), turn(1), out(1);
  flag_of_a_block<<<2, 1>>>(data, flag, turn, out, bug);
  EXPECT(down<int>(out, 1)[0] == 7);
}
__global__ void release_in_block(int *out) {
  __shared__ int data, flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  const cuda::atomic_ref<int, cuda::thread_scope_block> ready(flag);
  if (threadIdx.x == 0) {
    data = 9;
    ready.store(1, cuda::memory_order_release);
  } else {
    while (ready.load(cuda::memory_order_acquire) == 0) {}
    out[threadIdx.x] = data;
  }
}
CASE(quiet_release_in_block) {
  Buffer<int> out(64);
  release_in_block<<<1, 64>>>(out);
  EXPECT(down<int>(out, 64)[63] == 9);
}
int main(int count, char **arguments) { return run_case(count, arguments); }
