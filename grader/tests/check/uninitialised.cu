// Values that were never written.
#include <cuda/pipeline>
#include <cuda_pipeline.h>

#include "case.cuh"

__global__ void accumulate(const int *in, int *out) {
  out[threadIdx.x] += in[threadIdx.x];  // BUG uninitialised output_accumulated too_few_bytes
}
CASE(output_accumulated) {
  Buffer<int> in(64), out(64, bug ? Content::nothing : Content::zeros);
  accumulate<<<1, 64>>>(in, out);
}
CASE(too_few_bytes) {  // n instead of n * sizeof(int)
  Buffer<int> in(64, Content::nothing), out(64);
  std::vector<int> host(64);
  cudaMemcpy(in, host.data(), bug ? 64 : 64 * sizeof(int), cudaMemcpyHostToDevice);
  accumulate<<<1, 64>>>(in, out);
}

__global__ void sum_atomically(const int *in, int *sum) {
  atomicAdd(sum, in[threadIdx.x]);  // BUG uninitialised accumulator_not_zeroed
}
CASE(accumulator_not_zeroed) {
  Buffer<int> in(64), sum(1, bug ? Content::nothing : Content::zeros);
  sum_atomically<<<1, 64>>>(in, sum);
}

__global__ void sum_tile(const int *in, int *out, int n, bool bug) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  if (t < n)
    tile[t] = in[t];
  else if (!bug)
    tile[t] = 0;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += tile[i];  // BUG uninitialised tail_of_tile
  out[t] = sum;
}
CASE(tail_of_tile) {
  Buffer<int> in(50), out(64);
  sum_tile<<<1, 64>>>(in, out, 50, bug);
}

__global__ void histogram(const int *in, int *out, bool bug) {
  __shared__ int bins[8];
  if (!bug && threadIdx.x < 8) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[threadIdx.x] % 8], 1);  // BUG uninitialised bins_not_cleared
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, bins[0]);
}
CASE(bins_not_cleared) {
  Buffer<int> in(64), out(1);
  histogram<<<2, 64>>>(in, out, bug);
}

// A block must not rely on what an earlier block left in shared memory.
__global__ void keep_in_shared(int *out, bool bug) {
  __shared__ int kept;
  if (threadIdx.x == 0 && (!bug || blockIdx.x == 0)) kept = 1;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = kept;  // BUG uninitialised from_another_block
}
CASE(from_another_block) {
  Buffer<int> out(4);
  keep_in_shared<<<4, 32>>>(out, bug);
}

__global__ void write_some(int *out, bool bug) {
  const int t = threadIdx.x;
  if (t % 2 == 0 || !bug) out[t] = t;
}
__global__ void read_all(const int *in, int *out) {
  out[threadIdx.x] = in[threadIdx.x];  // BUG uninitialised forgotten_branch
}
CASE(forgotten_branch) {
  Buffer<int> between(64, Content::nothing), out(64);
  write_some<<<1, 64>>>(between, bug);
  read_all<<<1, 64>>>(between, out);
}

__global__ void sum_vectors(const float4 *in, float *out) {
  const float4 four = in[threadIdx.x];  // BUG uninitialised tail_of_float4
  out[threadIdx.x] = four.x + four.y + four.z + four.w;
}
CASE(tail_of_float4) {
  Buffer<float> in(32, Content::nothing), out(8);
  cudaMemset(in, 0, (bug ? 30 : 32) * sizeof(float));
  sum_vectors<<<1, 8>>>(reinterpret_cast<float4 *>(in.data), out);
}

// What a constructor writes by itself, for virtual functions, counts as written.
struct Shape {
  __device__ Shape(bool bug) {
    if (!bug) side = 2;
  }
  __device__ virtual int area() const {
    return 2 * side;  // BUG uninitialised virtual_in_shared
  }
  int side;
};
__global__ void construct_in_shared(int *out, bool bug) {
  __shared__ alignas(Shape) unsigned char memory[sizeof(Shape)];
  __shared__ const Shape *shape;
  if (threadIdx.x == 0) shape = new (memory) Shape(bug);
  __syncthreads();
  out[threadIdx.x] = shape->area();
}
CASE(virtual_in_shared) {
  Buffer<int> out(32);
  construct_in_shared<<<1, 32>>>(out, bug);
}

// The padding of a struct is never written, but is copied with it.
struct Padded {
  int number;
  char letter;
};
__global__ void copy_padded(Padded *data) {
  data[threadIdx.x].number = 1;
  data[threadIdx.x].letter = 'x';
  __syncthreads();
  data[threadIdx.x + 32] = data[31 - threadIdx.x];
}
CASE(quiet_padding) {
  Buffer<Padded> data(64, Content::nothing);
  copy_padded<<<1, 32>>>(data);
}

// By a texture on linear memory.
__global__ void read_texture(cudaTextureObject_t texture, float *out) {
  out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x);  // BUG uninitialised texture_unwritten
}
CASE(texture_unwritten) {
  Buffer<float> data(32, bug ? Content::nothing : Content::zeros), out(32);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = data;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 32 * sizeof(float);
  cudaTextureDesc description{};
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  read_texture<<<1, 32>>>(texture, out);
  cudaDeviceSynchronize();
  cudaDestroyTextureObject(texture);
}

// Two stages of copies that overlap with computing: a thread waits for its own, then for the block.
__global__ void copy_in_stages(const int *in, int *out, int stages, bool bug) {
  __shared__ int tile[2][32];
  const unsigned i = threadIdx.x;
  int sum = 0;
  const auto fetch = [&](int stage) {
    if (stage < stages)
      __pipeline_memcpy_async(&tile[stage % 2][i], &in[stage * 32 + static_cast<int>(i)], sizeof(int));
    __pipeline_commit();
  };
  fetch(0);
  for (int stage = 0; stage < stages; ++stage) {
    fetch(stage + 1);
    __pipeline_wait_prior(bug ? 2 : 1);
    __syncthreads();
    sum += tile[stage % 2][31 - i];  // BUG uninitialised copy_not_waited_for
    __syncthreads();
  }
  out[i] = sum;
}
CASE(copy_not_waited_for) {
  Buffer<int> in(4 * 32), out(32);
  copy_in_stages<<<1, 32>>>(in, out, 4, bug);
}
__global__ void copy_alone(const int *in, int *out, bool bug) {
  __shared__ int tile[32];
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int), pipe);
  pipe.producer_commit();
  if (!bug) pipe.consumer_wait();
  out[threadIdx.x] = tile[threadIdx.x];  // BUG uninitialised stage_not_waited_for
  pipe.consumer_release();
}
CASE(stage_not_waited_for) {
  Buffer<int> in(32), out(32);
  copy_alone<<<1, 32>>>(in, out, bug);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
