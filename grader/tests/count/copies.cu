// Global memory: how far apart the lanes of a warp access it, and which lanes take part.
#include <cuda_runtime.h>

__global__ void copy(float *out, const float *in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}
__global__ void copy_offset(float *out, const float *in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i + 1];
}
__global__ void copy_stride2(float *out, const float *in) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = in[i];
}
__global__ void copy_float4(float4 *out, const float4 *in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}
__global__ void copy_partial(float *out, const float *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
__global__ void branches(float *out, const float *in) {
  const int i = threadIdx.x;
  if (i % 2)
    out[i] = in[i];
  else
    out[i] = 2 * in[i];
}
__global__ void histogram(int *bins, const int *in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&bins[in[i] % 8], 1);
}
__global__ void from_heap(float *out) {
  __shared__ char *block;
  if (threadIdx.x == 0) block = static_cast<char *>(malloc(blockDim.x * sizeof *out + 32));
  __syncthreads();
  // From the beginning of a sector.
  volatile float *const taken =
      reinterpret_cast<float *>(block + 32 - reinterpret_cast<unsigned long>(block) % 32);
  taken[threadIdx.x] = 1;
  out[blockIdx.x * blockDim.x + threadIdx.x] = taken[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) free(block);
}

int main() {
  constexpr int n = 16384;
  float4 *in, *out;
  cudaMalloc(&in, n * sizeof *in);
  cudaMalloc(&out, n * sizeof *out);
  cudaMemset(in, 0, n * sizeof *in);
  cudaMemset(out, 0, n * sizeof *out);
  auto *const from = reinterpret_cast<float *>(in), *const to = reinterpret_cast<float *>(out);
  copy<<<n / 256, 256>>>(to, from);
  copy_offset<<<n / 256, 256>>>(to, from);
  copy_stride2<<<n / 256, 256>>>(to, from);
  copy_float4<<<n / 256, 256>>>(out, in);
  copy_partial<<<4, 256>>>(to, from, 1000);
  copy_partial<<<1, 40>>>(to, from, 40);
  branches<<<1, 64>>>(to, from);
  histogram<<<2, 128>>>(reinterpret_cast<int *>(out), reinterpret_cast<int *>(in));
  from_heap<<<2, 128>>>(to);
  cudaFree(in);
  cudaFree(out);
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
