// Branches on which the lanes of a warp stay together or part, grid barriers, launches by address, vectors of constants.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

__global__ void together(float *out, const float *in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x % 2)
    out[i] = 1;
  else
    out[i + 1024] = in[i];
}
__global__ void apart(float *out, const float *in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 2)
    out[i] = 1;
  else
    out[i + 1024] = in[i];
}
// Lane l runs the loop l times: one lane leaves in each round, and the last leaves alone.
__global__ void triangle(float *out, const float *in) {
  float sum = 0;
  for (unsigned round = 0; round < threadIdx.x % 32; ++round) sum += in[round];  // the loop
  out[threadIdx.x] = sum;
}
__global__ void straight(float *out, const float *in) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}
__global__ void grid_rounds(float *out, float *data) {
  const auto grid = cooperative_groups::this_grid();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = 1;
  grid.sync();
  out[i] = data[(i + 64) % 128];
  grid.sync();
  data[i] = out[(i + 64) % 128];
}
template <class T>
__global__ void by_address(T *out) {
  out[threadIdx.x] = 1;
}

__global__ void zeros(float4 *out) { out[threadIdx.x] = make_float4(0, 0, 0, 0); }
__global__ void two_components(float *out) {  // no vectors: two stores
  out[2 * threadIdx.x] = 0;
  out[2 * threadIdx.x + 1] = 0;
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 4096 * sizeof *in);
  cudaMalloc(&out, 4096 * sizeof *out);
  cudaMemset(in, 0, 4096 * sizeof *in);
  together<<<4, 64>>>(out, in);
  apart<<<4, 64>>>(out, in);
  triangle<<<1, 64>>>(out, in);
  straight<<<3, 64>>>(out, in);
  void *both[] = {&out, &in}, *one[] = {&out};
  cudaLaunchCooperativeKernel(grid_rounds, dim3(2), dim3(64), both);
  cudaLaunchKernel((void *)by_address<float>, dim3(1), dim3(32), one);
  zeros<<<1, 32>>>(reinterpret_cast<float4 *>(out));
  two_components<<<1, 32>>>(out);
  cudaFree(in);
  cudaFree(out);
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
