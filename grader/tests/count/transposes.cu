// 128 x 128 floats: a request of 32 sectors, or a tile with and without bank conflicts.
#include <cuda_runtime.h>

constexpr int kSide = 128, kTile = 32;

__global__ void naive(float *out, const float *in) {
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  const float value = in[y * kSide + x];
  out[x * kSide + y] = value;  // the naive store
}
__global__ void tiled32(float *out, const float *in) {
  __shared__ float tile[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y, left = blockIdx.x * kTile, top = blockIdx.y * kTile;
  tile[y][x] = in[(top + y) * kSide + left + x];
  __syncthreads();
  out[(left + y) * kSide + top + x] = tile[x][y];  // the conflict
}
__global__ void tiled33(float *out, const float *in) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y, left = blockIdx.x * kTile, top = blockIdx.y * kTile;
  tile[y][x] = in[(top + y) * kSide + left + x];
  __syncthreads();
  out[(left + y) * kSide + top + x] = tile[x][y];
}

int main() {
  float *in, *out;
  cudaMalloc(&in, kSide * kSide * sizeof *in);
  cudaMalloc(&out, kSide * kSide * sizeof *out);
  cudaMemset(in, 0, kSide * kSide * sizeof *in);
  const dim3 grid(kSide / kTile, kSide / kTile), block(kTile, kTile);
  naive<<<grid, block>>>(out, in);
  tiled32<<<grid, block>>>(out, in);
  tiled33<<<grid, block>>>(out, in);
  cudaFree(in);
  cudaFree(out);
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
