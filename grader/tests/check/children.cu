// Kernels that launch kernels: a child grid may run beside its parent from the launch on.
#include "case.cuh"

// ---- in a child, everything is looked at as in any kernel
__global__ void fill_from(int *out, int first) {
  out[threadIdx.x + first] = threadIdx.x;  // BUG memory child_past_the_end
}
__global__ void launch_fill(int *out, bool bug) {
  if (threadIdx.x == 31) fill_from<<<1, 64>>>(out, bug ? 1 : 0);
}
CASE(child_past_the_end) {
  Buffer<int> out(64);
  launch_fill<<<1, 32>>>(out, bug);
  EXPECT(down<int>(out, 64)[63] == 63);
}
__global__ void reverse(int *out) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = out[threadIdx.x];  // BUG race child_without_barrier
  if (out[64]) __syncthreads();
  out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];  // BUG race child_without_barrier
}
__global__ void launch_reverse(int *out, bool bug) {
  out[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) out[64] = !bug;
  __syncthreads();
  if (threadIdx.x == 0) reverse<<<1, 64, 64 * sizeof(int)>>>(out);
}
CASE(child_without_barrier) {
  Buffer<int> out(65);
  launch_reverse<<<1, 64>>>(out, bug);
  EXPECT(down<int>(out, 64)[0] == 63);
}

// ---- a parent and its child
__global__ void copy(int *to, const int *from) {
  to[threadIdx.x] = from[threadIdx.x];  // BUG race written_after_the_launch result_not_waited_for block_not_ready fence_before_the_launch
}
__global__ void write_then_copy(int *data, int *out, bool bug) {
  if (!bug) data[0] = 7;
  copy<<<1, 32>>>(out, data);
  if (bug) data[0] = 7;  // BUG race written_after_the_launch
}
CASE(written_after_the_launch) {
  Buffer<int> data(32), out(32);
  write_then_copy<<<1, 1>>>(data, out, bug);
  EXPECT(down<int>(out, 1)[0] == 7);
}
__global__ void add_one(int *value) { *value += 1; }
__global__ void copy_then_read(const int *data, int *out, bool bug) {
  copy<<<1, 32>>>(out, data);
  if (bug)
    out[0] += 1;  // BUG race result_not_waited_for
  else
    add_one<<<1, 1>>>(out);
}
CASE(result_not_waited_for) {
  Up<int> data(std::vector<int>(32, 5));
  Buffer<int> out(32);
  copy_then_read<<<1, 1>>>(data, out, bug);
  EXPECT(down<int>(out, 1)[0] == 6);
}
// Where the parent and all other children have ended, their results are there.
__global__ void add_to(int *value, const int *more) {
  *value += *more;  // BUG race at_the_end_of_the_parent
}
__global__ void copy_then_add_at_the_end(const int *data, int *out, bool bug) {
  if (bug)
    add_to<<<1, 1>>>(out, out + 32);
  else
    add_to<<<1, 1, 0, cudaStreamTailLaunch>>>(out, out + 32);
  copy<<<1, 32>>>(out, data);
  out[32] = 1;  // BUG race at_the_end_of_the_parent
}
CASE(at_the_end_of_the_parent) {
  Up<int> data(std::vector<int>(32, 5));
  Buffer<int> out(33);
  copy_then_add_at_the_end<<<1, 1>>>(data, out, bug);
  EXPECT(down<int>(out, 1)[0] == 6);
}
__global__ void prepare_then_copy(int *data, int *out, bool bug) {
  data[threadIdx.x] = threadIdx.x;  // BUG race block_not_ready
  if (!bug) __syncthreads();
  if (threadIdx.x == 0) copy<<<1, 64>>>(out, data);
}
CASE(block_not_ready) {
  Buffer<int> data(64), out(64);
  prepare_then_copy<<<1, 64>>>(data, out, bug);
  EXPECT(down<int>(out, 64)[63] == 63);
}
// The last block to come launches what reads the work of all.
__global__ void last_block_copies(int *data, unsigned *done, int *out, bool bug) {
  data[blockIdx.x * 32 + threadIdx.x] = blockIdx.x;  // BUG race fence_before_the_launch
  if (!bug) __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(done, 1) == gridDim.x - 1) copy<<<1, 128>>>(out, data);
}
CASE(fence_before_the_launch) {
  Buffer<int> data(128), out(128);
  Buffer<unsigned> done(1);
  last_block_copies<<<4, 32>>>(data, done, out, bug);
  EXPECT(down<int>(out, 128)[127] == 3);
}

// ---- children beside each other
__global__ void add_to_all(int *data) {
  data[threadIdx.x] += 1;  // BUG race children_of_two_blocks children_alone children_in_two_streams children_in_own_streams
}
__global__ void launch_by_each_block(int *data, bool bug) {
  if (threadIdx.x == 0) add_to_all<<<1, 32>>>(data + (bug ? 0 : 32 * blockIdx.x));
}
CASE(children_of_two_blocks) {
  Buffer<int> data(64);
  launch_by_each_block<<<2, 32>>>(data, bug);
  EXPECT(down<int>(data, 64)[63] == 1);
}
__global__ void launch_by_two_threads(int *data, bool bug) {
  if (threadIdx.x % 32) return;  // the default stream is the whole block's
  if (bug)
    add_to_all<<<1, 32, 0, cudaStreamFireAndForget>>>(data);
  else
    add_to_all<<<1, 32>>>(data);
}
CASE(children_alone) {
  Buffer<int> data(32);
  launch_by_two_threads<<<1, 64>>>(data, bug);
  EXPECT(down<int>(data, 32)[31] == 2);
}
__global__ void launch_into_streams(int *data, bool bug) {
  cudaStream_t one, other;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  add_to_all<<<1, 32, 0, one>>>(data);
  add_to_all<<<1, 32, 0, bug ? other : one>>>(data);
  cudaStreamDestroy(one);
  cudaStreamDestroy(other);
}
CASE(children_in_two_streams) {
  Buffer<int> data(32);
  launch_into_streams<<<1, 1>>>(data, bug);
  EXPECT(down<int>(data, 32)[31] == 2);
}
// Halves are summed by grids of their own, level by level; a parent's sum is made at its end.
__global__ void add_halves(int *data, int left, int right) {
  data[left] += data[right];  // BUG race parent_of_grandchildren
}
__global__ void sum_recursively(int *data, int left, int count, bool bug) {
  if (count == 1) return;
  const int half = count / 2;
  add_halves<<<1, 1, 0, cudaStreamTailLaunch>>>(data, left, left + half);
  sum_recursively<<<1, 1, 0, cudaStreamFireAndForget>>>(data, left, half, bug);
  sum_recursively<<<1, 1, 0, cudaStreamFireAndForget>>>(data, left + half, half, bug);
  if (bug && count == 4) data[left + 1] = 0;  // BUG race parent_of_grandchildren
}
CASE(parent_of_grandchildren) {
  std::vector<int> ones(8, 1);
  Up<int> data(ones);
  sum_recursively<<<1, 1>>>(data, 0, 8, bug);
  EXPECT(down<int>(data, 1)[0] == 8);
}
// ---- each thread has a stream of its own, whose handle may have been another thread's
__global__ void launch_into_own_streams(int *data, bool bug) {
  cudaStream_t own = nullptr;
  if (bug) cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  if (threadIdx.x < 2) add_to_all<<<1, 32, 0, own>>>(data);
  if (bug) cudaStreamDestroy(own);
}
CASE(children_in_own_streams) {
  const Buffer<int> data(32);
  launch_into_own_streams<<<1, 32>>>(data, bug);
  EXPECT(down<int>(data, 32)[31] == 2);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
