// Sorting by counting smaller keys: n^2 loads from global memory, or from a copy in shared memory.
#include <cuda_runtime.h>

constexpr int kKeys = 1000;

__global__ void rank_global(float *out, const float *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float mine = in[i];
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const float other = in[j];
    rank += other < mine || (other == mine && j < i);
  }
  out[rank] = mine;
}
__global__ void rank_shared(float *out, const float *in, int n) {
  extern __shared__ float keys[];
  const int i = threadIdx.x;
  keys[i] = in[i];
  __syncthreads();
  const float mine = keys[i];
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const float other = keys[j];
    rank += other < mine || (other == mine && j < i);
  }
  out[rank] = mine;
}

int main() {
  float *in, *out;
  cudaMalloc(&in, kKeys * sizeof *in);
  cudaMalloc(&out, kKeys * sizeof *out);
  cudaMemset(in, 0, kKeys * sizeof *in);
  rank_global<<<4, 256>>>(out, in, kKeys);
  rank_shared<<<1, kKeys, kKeys * sizeof *in>>>(out, in, kKeys);
  cudaFree(in);
  cudaFree(out);
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
