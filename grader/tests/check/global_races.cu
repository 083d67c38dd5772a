// Threads and blocks that access the same global memory.
#include "case.cuh"

__global__ void increment(int *counter, bool bug) {
  if (bug)
    *counter += 1;  // BUG race increment_in_block increment_between_blocks
  else
    atomicAdd(counter, 1);
}
CASE(increment_in_block) {
  Buffer<int> counter(1);
  increment<<<1, 64>>>(counter, bug);
}
CASE(increment_between_blocks) {
  Buffer<int> counter(1);
  increment<<<64, 1>>>(counter, bug);
}

__global__ void increment_volatile(volatile int *counter, bool bug) {
  if (bug) *counter = *counter + 1;  // BUG race volatile_is_no_atomic
}
CASE(volatile_is_no_atomic) {
  Buffer<int> counter(1);
  increment_volatile<<<64, 1>>>(counter, bug);
}

__device__ int device_counter;
__global__ void increment_variable(bool bug) {
  if (bug)
    ++device_counter;  // BUG race device_variable
  else
    atomicAdd(&device_counter, 1);
}
CASE(device_variable) { increment_variable<<<2, 32>>>(bug); }

// The first block to come produces; the other does not wait but looks whether the flag is set.
__global__ void pass_on(int *data, int *flag, int *out, bool no_fence, bool plain_flag) {
  if (atomicAdd(&flag[1], 1) == 0) {
    data[0] = 42;  // BUG race flag_without_fence
    if (!no_fence) __threadfence();
    if (plain_flag)
      *flag = 1;  // BUG race plain_flag
    else
      atomicExch(flag, 1);
  } else if ((plain_flag ? *flag : atomicAdd(flag, 0)) == 1) {  // BUG race plain_flag
    out[0] = data[0];  // BUG race flag_without_fence
  }
}
CASE(flag_without_fence) {
  Buffer<int> data(1), flag(2), out(1);
  pass_on<<<2, 1>>>(data, flag, out, bug, false);
}
CASE(plain_flag) {
  Buffer<int> data(1), flag(2), out(1);
  pass_on<<<2, 1>>>(data, flag, out, false, bug);
}

__global__ void sum_by_last_block(const int *in, int *partial, unsigned *done, int *out, bool bug) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x];  // BUG race last_block_no_fence
    if (!bug) __threadfence();
    last = atomicInc(done, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += partial[b];  // BUG race last_block_no_fence
    out[0] = sum;
  }
}
CASE(last_block_no_fence) {
  Buffer<int> in(16), partial(16, Content::nothing), out(1);
  Buffer<unsigned> done(1);
  sum_by_last_block<<<16, 64>>>(in, partial, done, out, bug);
}

// Every thread writes a partial result and calls a fence; the barrier then covers the whole block.
__global__ void sum_after_barrier(int *partial, unsigned *done, int *out, bool bug) {
  __shared__ bool last;
  partial[blockIdx.x * blockDim.x + threadIdx.x] = 1;  // BUG race last_block_no_barrier
  __threadfence();
  if (!bug) __syncthreads();
  if (threadIdx.x == 0) last = atomicInc(done, gridDim.x) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  for (unsigned i = threadIdx.x; i < gridDim.x * blockDim.x; i += blockDim.x)
    atomicAdd(out, partial[i]);  // BUG race last_block_no_barrier
}
CASE(last_block_no_barrier) {
  Buffer<int> partial(4 * 64), out(1);
  Buffer<unsigned> done(1);
  sum_after_barrier<<<4, 64>>>(partial, done, out, bug);
}

// The last block's update of the counter came after all others: a plain write is allowed then.
__global__ void reset_by_last_block(unsigned *done, bool bug) {
  __shared__ bool last;
  if (bug && blockIdx.x == 0) {
    if (threadIdx.x == 0) *done = 0;  // BUG race reset_without_update
    return;
  }
  __threadfence();
  if (threadIdx.x == 0)
    last = atomicInc(done, gridDim.x) == gridDim.x - 1;  // BUG race reset_without_update
  __syncthreads();
  if (last && threadIdx.x == 40) *done = 0;
}
CASE(reset_without_update) {
  Buffer<unsigned> done(1);
  reset_by_last_block<<<4, 64>>>(done, bug);
}

// That holds for this counter only, not for what the other blocks update after it.
__global__ void reset_one_of_two(unsigned *done, bool bug) {
  __threadfence();
  if (atomicInc(&done[0], gridDim.x) < gridDim.x - 1)
    atomicAdd(&done[1], 1);  // BUG race reset_another_counter
  else
    done[bug ? 1 : 0] = 0;  // BUG race reset_another_counter
}
CASE(reset_another_counter) {
  Buffer<unsigned> done(2);
  reset_one_of_two<<<4, 1>>>(done, bug);
}

__global__ void write_cells(int *out, bool bug) {
  const int first = bug ? 0 : blockIdx.x * blockDim.x;
  out[first + threadIdx.x] = blockIdx.x;  // BUG race two_blocks
}
CASE(two_blocks) {
  Buffer<int> out(64);
  write_cells<<<2, 32>>>(out, bug);
}

__global__ void grid_stride(int *out, int n, bool bug) {
  const int stride = bug ? blockDim.x : gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    out[i] += i;  // BUG race grid_stride_overlap
}
CASE(grid_stride_overlap) {
  Buffer<int> out(256);
  grid_stride<<<2, 32>>>(out, 256, bug);
}

__global__ void smooth(int *data, int *out, int n, bool bug) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int right = i + 1 < n ? data[i + 1] : 0;  // BUG race in_place_stencil
  __syncthreads();  // holds inside the block, not at its edge
  (bug ? data : out)[i] = right;  // BUG race in_place_stencil
}
CASE(in_place_stencil) {
  Buffer<int> data(128), out(128);
  smooth<<<2, 64>>>(data, out, 128, bug);
}

__global__ void barrier_in_global(int *data, bool bug) {
  const int t = threadIdx.x;
  data[t] = t;  // BUG race global_barrier
  if (!bug) __syncthreads();
  data[256 + t] = data[255 - t];  // BUG race global_barrier
}
CASE(global_barrier) {
  Buffer<int> data(512);
  barrier_in_global<<<1, 256>>>(data, bug);
}

__global__ void transpose_in_place(int *matrix, int n, bool bug) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = threadIdx.y;
  if (x >= n || y >= n || (!bug && x <= y)) return;
  const int upper = matrix[y * n + x];  // BUG race transpose_in_place
  const int lower = matrix[x * n + y];
  matrix[x * n + y] = upper;  // BUG race transpose_in_place
  matrix[y * n + x] = lower + 1;
}
CASE(transpose_in_place) {
  Buffer<int> matrix(64);
  transpose_in_place<<<1, dim3(8, 8)>>>(matrix, 8, bug);
}

__global__ void mix_atomic(int *counter, int *out, bool bug) {
  atomicAdd(counter, 1);  // BUG race atomic_and_plain
  if (bug) out[blockIdx.x] = *counter;  // BUG race atomic_and_plain
}
CASE(atomic_and_plain) {
  Buffer<int> counter(1), out(8);
  mix_atomic<<<8, 1>>>(counter, out, bug);
}

__global__ void count_in_block(int *counters, bool bug) {
  atomicAdd_block(&counters[bug ? 0 : blockIdx.x], 1);  // BUG race atomic_of_a_block
}
CASE(atomic_of_a_block) {
  Buffer<int> counters(8);
  count_in_block<<<8, 32>>>(counters, bug);
}

__global__ void any_negative(const int *in, int *found, bool bug) {
  if (in[threadIdx.x] >= 0 && (bug || threadIdx.x == 0)) *found = 1;  // BUG warning equal_writes
}
CASE(equal_writes) {
  Buffer<int> in(64), found(1);
  any_negative<<<1, 64>>>(in, found, bug);
}

// Launches run one after another: what one writes, the next may read.
__global__ void shift(const int *in, int *out) { out[threadIdx.x] = in[(threadIdx.x + 1) % 64]; }
CASE(quiet_launches) {
  Buffer<int> a(64), b(64);
  shift<<<1, 64>>>(a, b);
  shift<<<1, 64>>>(b, a);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
