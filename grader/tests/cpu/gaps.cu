// Hard cases for the rewriter: 0 for a pointer, lambdas that copy, __shared__ at namespace scope.
#include "expect.cuh"

__shared__ float outside[32], factor;

template <class T>
__global__ void deduced(T *out, int n, const T *other) {
  out[0] = static_cast<T>(n == 0 && !other ? 7 : -1);
}
__global__ void overloaded(float *out, int v) { out[0] = static_cast<float>(v + 10); }
__global__ void overloaded(float *out, float *q, int) { out[0] = q ? 1.0f : 77.0f; }

__global__ void shared_forms(float *out) {
  __shared__ int tile[32];
  outside[threadIdx.x] = static_cast<float>(threadIdx.x);
  if (threadIdx.x == 0) factor = 2;
  const auto put = [=](int i) { tile[i] = 3 * i; };
  put(static_cast<int>(threadIdx.x));
  __syncthreads();
  out[threadIdx.x] =
      outside[31 - threadIdx.x] * factor + static_cast<float>(tile[31 - threadIdx.x]);
}

// A file-scope __shared__ variable that the kernel before also used; each block has its own.
__global__ void share_again(float *out) {
  if (threadIdx.x == 0) factor = static_cast<float>(blockIdx.x);
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = factor;
}

int main() {
  float *out, host[32];
  cudaMalloc(&out, sizeof host);
  shared_forms<<<1, 32>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  EXPECT(host[0] == 31 * 5 && host[30] == 5);
  share_again<<<4, 8>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  EXPECT(host[0] == 0 && host[31] == 3 && host[16] == 2);
  deduced<float><<<1, 1>>>(out, 0, 0);
  EXPECT(from_device(out) == 7);
  overloaded<<<1, 1>>>(out, 0);
  EXPECT(from_device(out) == 10);
  overloaded<<<1, 1>>>(out, 0, 0);
  EXPECT(from_device(out) == 77);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  cudaFree(out);
  return failures() != 0;
}
