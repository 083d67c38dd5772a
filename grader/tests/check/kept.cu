// Pointers that are used too late: to shared memory of a block that has ended, to blocks of the host's heap
// that were freed, and handles of libraries that were destroyed.
#include "case.cuh"

#include <cooperative_groups.h>
#include <cublas_v2.h>
#include <curand.h>

#include <cstdlib>
#include <memory>

namespace cg = cooperative_groups;

__device__ int *kept;
__global__ void keeps_tile() {
  __shared__ int tile[32];
  tile[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) kept = tile;
}
__global__ void uses_kept(int *out, bool bug) {
  __shared__ int tile[32];
  tile[threadIdx.x] = 1;
  if (!bug && threadIdx.x == 0) kept = tile;
  __syncthreads();
  out[threadIdx.x] = kept[threadIdx.x];  // BUG memory tile_of_an_earlier_launch
}
CASE(tile_of_an_earlier_launch) {
  Buffer<int> out(32);
  keeps_tile<<<1, 32>>>();
  uses_kept<<<1, 32>>>(out, bug);
  cudaDeviceSynchronize();
}

// Wherever the pointer comes from, it is its use that is wrong.
struct Job {
  const int *values;
  int count;
};
__global__ void leaves_job(Job *jobs) {
  __shared__ int tile[32];
  tile[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) jobs[blockIdx.x] = {tile, 32};
}
__global__ void does_job(Job job, int *out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = 1;
  __syncthreads();
  const int *values = job.count ? job.values : tile;
  out[threadIdx.x] = values[31 - threadIdx.x];  // BUG memory tile_in_an_argument
}
CASE(tile_in_an_argument) {
  Buffer<Job> jobs(1);
  Buffer<int> out(32);
  leaves_job<<<1, 32>>>(jobs);
  Job job = down<Job>(jobs, 1)[0];
  if (!bug) job.count = 0;
  does_job<<<1, 32>>>(job, out);
  EXPECT(down<int>(out, 32)[0] == 1);
}
__device__ unsigned long long last_tile;
__global__ void exchanges_tiles(int *out, bool bug) {
  __shared__ int tile[32], *chosen;
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    const auto before = atomicExch(&last_tile, reinterpret_cast<unsigned long long>(tile));
    chosen = bug && before ? reinterpret_cast<int *>(before) : tile;
  }
  __syncthreads();
  out[threadIdx.x] = chosen[threadIdx.x];  // BUG memory tile_by_exchange
}
CASE(tile_by_exchange) {
  Buffer<int> out(32);
  for (int i = 0; i < 2; ++i) exchanges_tiles<<<1, 32>>>(out, bug);
  cudaDeviceSynchronize();
}
// Who only copies or compares an old pointer does nothing wrong.
__global__ void looks_at_jobs(const Job *from, Job *to, int *out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = 0;
  to[0] = from[0];
  out[threadIdx.x] = tile[threadIdx.x] + (from[0].values == tile);
}
CASE(quiet_old_pointer_is_copied) {
  (void)bug;
  Buffer<Job> jobs(1), copies(1);
  Buffer<int> out(1);
  leaves_job<<<1, 32>>>(jobs);
  looks_at_jobs<<<1, 1>>>(jobs, copies, out);
  EXPECT(down<Job>(copies, 1)[0].count == 32);
}

// Each block has a place of its own for its pointer. The last block reads that of the first.
__global__ void each_keeps(int **tiles, int *counter, int *out, bool bug) {
  __shared__ int tile[32];
  __shared__ bool last;
  tile[threadIdx.x] = blockIdx.x;
  if (threadIdx.x == 0) {
    tiles[blockIdx.x] = tile;
    __threadfence();
    last = atomicAdd(counter, 1) == int(gridDim.x) - 1;
  }
  __syncthreads();
  if (!last) return;
  int *other = tiles[bug ? (blockIdx.x + 1) % gridDim.x : blockIdx.x];  // BUG memory tile_of_another_block
  out[threadIdx.x] = other[threadIdx.x];
}
CASE(tile_of_another_block) {
  Buffer<int *> tiles(4);
  Buffer<int> out(32), counter(1);
  cudaMemset(counter, 0, 4);
  each_keeps<<<4, 32>>>(tiles, counter, out, bug);
  cudaDeviceSynchronize();
}

// A block's own pointer is good after grid.sync(), too, and in a struct.
struct View {
  float *values;
  int count;
};
__global__ void looks_after_the_grid(View *views, float *out) {
  extern __shared__ float room[];
  room[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) views[blockIdx.x] = {room, int(blockDim.x)};
  cg::this_grid().sync();
  const View view = views[blockIdx.x];
  out[blockIdx.x * blockDim.x + threadIdx.x] = view.values[view.count - 1 - threadIdx.x];
}
CASE(quiet_own_view_after_grid_sync) {
  (void)bug;
  Buffer<View> views(4);
  Buffer<float> out(128);
  View *v = views;
  float *o = out;
  void *arguments[] = {&v, &o};
  cudaLaunchCooperativeKernel((void *)looks_after_the_grid, 4, 32, arguments, 128, nullptr);
  EXPECT(down<float>(out, 128)[32] == 31);
}
CASE(quiet_old_view_is_written_over) {
  (void)bug;
  Buffer<int> out(32);
  for (int i = 0; i < 2; ++i) {
    keeps_tile<<<1, 32>>>();
    uses_kept<<<1, 32>>>(out, false);
  }
  cudaDeviceSynchronize();
}

__device__ int everyones;
__global__ void counts_for_itself(int *out, bool bug) {
  int own = 0;
  int *counter = bug ? &own : &everyones;
  atomicAdd(counter, 1);  // BUG warning counts_for_itself
  out[threadIdx.x] = own;
}
CASE(counts_for_itself) {
  Buffer<int> out(32);
  counts_for_itself<<<1, 32>>>(out, bug);
}

CASE(copies_from_freed) {
  Buffer<int> device(64);
  int *host = static_cast<int *>(std::malloc(256));
  for (int i = 0; i < 64; ++i) host[i] = i;
  if (bug) std::free(host);
  cudaMemcpy(device, host, 256, cudaMemcpyHostToDevice);  // BUG memory copies_from_freed
  if (!bug) std::free(host);
}
CASE(copies_to_freed) {
  Up<int> device(counting<int>(64));
  auto host = std::make_unique<int[]>(64);
  int *raw = host.get();
  if (bug) host.reset();
  cudaMemcpy(raw, device, 256, cudaMemcpyDeviceToHost);  // BUG memory copies_to_freed
}
CASE(copies_from_a_vector_that_grew) {
  Buffer<int> device(64);
  std::vector<int> host(64, 1);
  const int *before = host.data();
  host.resize(bug ? 4096 : 64, 2);
  cudaMemcpy(device, before, 256, cudaMemcpyHostToDevice);  // BUG memory copies_from_a_vector_that_grew
}
CASE(quiet_freed_and_taken_again) {
  (void)bug;
  Buffer<char> device(256);
  for (int i = 0; i < 40; ++i) {
    std::free(std::malloc(100 + i * 40));
    char *host = static_cast<char *>(std::calloc(16 + i, 8));
    void *aligned = nullptr;
    if (posix_memalign(&aligned, 64, 128) != 0) return;
    cudaMemcpy(device, host, 128, cudaMemcpyHostToDevice);
    cudaMemcpy(device, aligned, 128, cudaMemcpyHostToDevice);
    std::free(host);
    std::free(aligned);
  }
}

CASE(handle_was_destroyed) {
  Up<float> x(std::vector<float>(32, 1));
  cublasHandle_t handle;
  cublasCreate(&handle);
  const float two = 2;
  if (bug) cublasDestroy(handle);
  cublasSscal(handle, 32, &two, x, 1);  // BUG error handle_was_destroyed
  cudaDeviceSynchronize();
  if (!bug) cublasDestroy(handle);
}
CASE(generator_was_destroyed) {
  Buffer<float> out(64);
  curandGenerator_t generator;
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
  if (bug) curandDestroyGenerator(generator);
  curandGenerateUniform(generator, out, 64);  // BUG error generator_was_destroyed
  cudaDeviceSynchronize();
  if (!bug) curandDestroyGenerator(generator);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
