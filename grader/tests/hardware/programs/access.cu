// More kinds of memory access than in grader/tests/count: strides, structs, narrow and wide types,
// shared memory with strides and in two dimensions, atomics with and without a used result.
#include <cuda_runtime.h>

constexpr int kThreads = 256, kBlocks = 16, kAll = kThreads * kBlocks;

struct Particle {
  float x, y, z, mass;
};

__device__ int index() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void copy_stride32(float *out, const float *in) { out[32 * index()] = in[32 * index()]; }
__global__ void copy_reversed(float *out, const float *in) {
  out[kAll - 1 - index()] = in[kAll - 1 - index()];
}
__global__ void copy_bytes(char *out, const char *in) { out[index()] = in[index()]; }
__global__ void copy_shorts(short *out, const short *in) { out[index()] = in[index()]; }
__global__ void copy_doubles(double *out, const double *in) { out[index()] = in[index()]; }
__global__ void copy_float2(float2 *out, const float2 *in) { out[index()] = in[index()]; }
__global__ void one_field(float *out, const Particle *in) { out[index()] = in[index()].mass; }
__global__ void broadcast(float *out, const float *in) { out[index()] = in[blockIdx.x]; }
__global__ void gather(float *out, const float *in, const int *where) {
  out[index()] = in[where[index()]];
}
__global__ void small_rows(float *out, const float *in) {  // a warp is 4 rows of 8
  const int x = blockIdx.x * 8 + threadIdx.x, y = threadIdx.y;
  out[y * 128 + x] = in[y * 128 + x];
}
__global__ void every_second(float *out, const float *in) {
  if (threadIdx.x % 2 == 0) out[index()] = in[index()];
}

template <int kStride>
__device__ void shared_stride(float *out, const float *in) {
  __shared__ float words[32 * kStride];
  words[threadIdx.x * kStride] = in[threadIdx.x];
  __syncwarp();
  out[threadIdx.x] = words[(31 - threadIdx.x) * kStride];
}
__global__ void shared_stride3(float *out, const float *in) { shared_stride<3>(out, in); }
__global__ void shared_stride8(float *out, const float *in) { shared_stride<8>(out, in); }
__global__ void shared_stride32(float *out, const float *in) { shared_stride<32>(out, in); }
__global__ void shared_broadcast(float *out, const float *in) {
  __shared__ float words[32];
  words[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  out[threadIdx.x] = words[static_cast<int>(in[threadIdx.x]) % 32];
}

__global__ void count_plainly(int *counter) { atomicAdd(counter, 1); }
__global__ void add_spread(int *cells) { atomicAdd(&cells[index()], 1); }
__global__ void take_number(int *out, int *cells) {
  out[index()] = atomicAdd(&cells[threadIdx.x], 1);
}
__global__ void smallest(int *cell, const int *in) { atomicMin(cell, in[index()]); }

int main() {
  float *in, *out;
  const std::size_t bytes = 32 * kAll * sizeof *in;
  cudaMalloc(&in, bytes);
  cudaMalloc(&out, bytes);
  cudaMemset(in, 0, bytes);
  cudaMemset(out, 0, bytes);
  const auto as = [](auto *wanted, float *data) { return reinterpret_cast<decltype(wanted)>(data); };
  constexpr char *chars = nullptr;
  constexpr short *shorts = nullptr;
  constexpr double *doubles = nullptr;
  constexpr float2 *pairs = nullptr;
  constexpr Particle *particles = nullptr;
  constexpr int *ints = nullptr;
  copy_stride32<<<kBlocks, kThreads>>>(out, in);
  copy_reversed<<<kBlocks, kThreads>>>(out, in);
  copy_bytes<<<kBlocks, kThreads>>>(as(chars, out), as(chars, in));
  copy_shorts<<<kBlocks, kThreads>>>(as(shorts, out), as(shorts, in));
  copy_doubles<<<kBlocks, kThreads>>>(as(doubles, out), as(doubles, in));
  copy_float2<<<kBlocks, kThreads>>>(as(pairs, out), as(pairs, in));
  one_field<<<kBlocks, kThreads>>>(out, as(particles, in));
  broadcast<<<kBlocks, kThreads>>>(out, in);
  gather<<<kBlocks, kThreads>>>(out, in, as(ints, in));
  small_rows<<<16, dim3(8, 16)>>>(out, in);
  every_second<<<kBlocks, kThreads>>>(out, in);
  shared_stride3<<<1, 32>>>(out, in);
  shared_stride8<<<1, 32>>>(out, in);
  shared_stride32<<<1, 32>>>(out, in);
  shared_broadcast<<<1, 32>>>(out, in);
  cudaMemset(out, 0, bytes);
  count_plainly<<<kBlocks, kThreads>>>(as(ints, out));
  add_spread<<<kBlocks, kThreads>>>(as(ints, out));
  take_number<<<kBlocks, kThreads>>>(as(ints, out) + kAll, as(ints, out));
  smallest<<<kBlocks, kThreads>>>(as(ints, out), as(ints, in));
  const bool went_well = cudaDeviceSynchronize() == cudaSuccess;
  cudaFree(in);
  cudaFree(out);
  return went_well ? 0 : 1;
}
