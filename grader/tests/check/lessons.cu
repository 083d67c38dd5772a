// Bugs of programs that courses write, which were missed once.
#include <cuda/barrier>

#include "case.cuh"

// cuda::barrier with a count that is too high: nobody goes on.
using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;
__global__ void exchange(int *out, int expected) {
  __shared__ BlockBarrier all;
  __shared__ int value[64];
  const int t = threadIdx.x;
  if (t == 0) init(&all, expected);
  __syncthreads();
  value[t] = t;
  all.arrive_and_wait();  // BUG barrier barrier_expects_more
  out[t] = value[63 - t];
}
CASE(barrier_expects_more) {
  Buffer<int> out(64);
  exchange<<<1, 64>>>(out, bug ? 65 : 64);
}
// One half waits at the barrier for the other, which waits at __syncthreads() for it.
__global__ void wait_in_halves(int *out, bool bug) {
  __shared__ BlockBarrier all;
  const int t = threadIdx.x;
  if (t == 0) init(&all, 64);
  __syncthreads();
  if (t < 32) all.arrive_and_wait();  // BUG barrier barrier_and_barrier
  if (t >= 32 && !bug) all.arrive_and_wait();
  __syncthreads();
  out[t] = t;
}
CASE(barrier_and_barrier) {
  Buffer<int> out(64);
  wait_in_halves<<<1, 64>>>(out, bug);
}
// Producers and consumers in turn, several phases; two blocks.
__global__ void hand_over(int *out, int rounds) {
  __shared__ BlockBarrier ready, taken;
  __shared__ int slot[32];
  const int t = threadIdx.x, lane = t % 32;
  if (t == 0) init(&ready, 64), init(&taken, 64);
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < rounds; ++i) {
    if (t < 32) {
      slot[lane] = i + lane;
      (void)ready.arrive();
      taken.arrive_and_wait();
    } else {
      ready.arrive_and_wait();
      sum += slot[31 - lane];
      taken.arrive_and_wait();
    }
  }
  out[64 * blockIdx.x + t] = sum;
}
CASE(quiet_hand_over) {
  Buffer<int> out(128);
  hand_over<<<2, 64>>>(out, 9);
}

// The first work of a new stream meets what the default stream did just before.
__global__ void block_sums(const int *in, int *sums) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;  // BUG race first_of_a_stream
}
__global__ void scan_sums(int *sums, int count) {
  for (int i = 1; i < count; ++i) sums[i] += sums[i - 1];  // BUG race first_of_a_stream
}
CASE(first_of_a_stream) {
  Buffer<int> in(512), sums(4);
  cudaDeviceSynchronize();
  cudaStream_t other;
  cudaStreamCreateWithFlags(&other, bug ? cudaStreamNonBlocking : cudaStreamDefault);
  block_sums<<<4, 128>>>(in, sums);
  scan_sums<<<1, 1, 0, other>>>(sums, 4);
  cudaDeviceSynchronize();
  cudaStreamDestroy(other);
}

// Managed and pinned memory is CUDA's, registered memory the program's own.
CASE(managed_by_free) {
  int *data, *own = static_cast<int *>(std::malloc(256));
  cudaMallocManaged(&data, 256);
  cudaHostRegister(own, 256, 0);
  if (bug)
    std::free(data);  // BUG memory managed_by_free
  else
    cudaFree(data);
  cudaHostUnregister(own);
  std::free(own);
}

// The x of a surface counts bytes.
__global__ void paint(cudaSurfaceObject_t surface, int unit) {
  surf2Dwrite(1.0f, surface, threadIdx.x * unit, threadIdx.y);  // BUG memory surface_x_in_elements
}
CASE(surface_x_in_elements) {
  cudaArray_t array;
  cudaSurfaceObject_t surface;
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &channels, 16, 16, cudaArraySurfaceLoadStore);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaCreateSurfaceObject(&surface, &resource);
  paint<<<1, dim3(16, 16)>>>(surface, bug ? 1 : sizeof(float));
  cudaDestroySurfaceObject(surface);
  cudaFreeArray(array);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
