// Shared memory with different widths and strides, and synchronisations between a warp's accesses.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

__global__ void stride2(float *out) {
  __shared__ float s[64];
  s[2 * threadIdx.x] = 1;
  __syncwarp();  // otherwise the compiler would know what it reads
  out[threadIdx.x] = s[2 * threadIdx.x];
}
__global__ void doubles(double *out) {
  __shared__ double s[32];
  s[threadIdx.x] = 1;
  __syncwarp();
  out[threadIdx.x] = s[threadIdx.x];
}
__global__ void vectors(float4 *data) {
  __shared__ float4 s[32];
  s[threadIdx.x] = data[threadIdx.x];
  data[threadIdx.x] = s[threadIdx.x];
}
__global__ void components(float4 *data) {
  __shared__ float4 s[32];
  const float4 mine = data[threadIdx.x];
  s[threadIdx.x] = make_float4(mine.w, mine.z, mine.y, mine.x);
  __syncwarp();
  const float4 first = s[0];
  data[threadIdx.x] = make_float4(first.x + mine.x, first.y, first.z, first.w);
}
__global__ void rounds(float *data) {
  for (int round = 0; round < 5; ++round) {
    data[threadIdx.x] += 1;
    __syncthreads();
  }
}
__global__ void shuffles(float *data) {
  for (int round = 0; round < 5; ++round)
    data[threadIdx.x] += __shfl_xor_sync(0xffffffffu, 1.0f, 1);
}
__global__ void half_warps(float *data) {
  const auto half =
      cooperative_groups::tiled_partition<16>(cooperative_groups::this_thread_block());
  for (int round = 0; round < 5; ++round) data[threadIdx.x] += half.shfl_xor(1.0f, 1);
}

int main() {
  float *data;
  cudaMalloc(&data, 4096);
  cudaMemset(data, 0, 4096);
  stride2<<<1, 32>>>(data);
  doubles<<<1, 32>>>(reinterpret_cast<double *>(data));
  vectors<<<1, 32>>>(reinterpret_cast<float4 *>(data));
  components<<<1, 32>>>(reinterpret_cast<float4 *>(data));
  rounds<<<2, 64>>>(data);
  shuffles<<<1, 64>>>(data);
  half_warps<<<1, 64>>>(data);
  cudaFree(data);
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
