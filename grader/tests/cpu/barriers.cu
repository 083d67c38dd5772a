// Barriers: correct programs with every block shape, votes at barriers, threads that leave early.
#include <vector>

#include "expect.cuh"

// Every thread reads what its mirror thread in the block wrote before the barrier. This happens
// twice, so that a barrier is also reused.
__global__ void mirror(int *out) {
  extern __shared__ int values[];
  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int n = blockDim.x * blockDim.y * blockDim.z;
  const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  values[t] = t;
  __syncthreads();  // all values are written before any is read
  const int other = values[n - 1 - t];
  __syncthreads();  // all are read before any is overwritten
  values[t] = other * 2;
  __syncthreads();
  out[block * n + t] = values[n - 1 - t];
}

__global__ void votes(int *out) {
  const int t = threadIdx.x;
  const int count = __syncthreads_count(t % 3 == 0);
  const int any = __syncthreads_or(t == 70);
  const int all = __syncthreads_and(t < 99);
  out[t] = count * 100 + (any != 0) * 10 + (all != 0);
}

// Threads that have nothing to do leave; the hardware's barrier counts only the live threads.
__global__ void leave_early(int *out, int n) {
  __shared__ int sum;
  const int t = threadIdx.x;
  if (t >= n) return;
  if (t == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1);
  __syncthreads();
  out[t] = sum;
}

// The tree of a reduction: the barrier is at a place that all threads reach.
template <int kThreads>
__global__ void reduce(const int *in, int *out) {
  __shared__ int partial[kThreads];
  partial[threadIdx.x] = in[blockIdx.x * kThreads + threadIdx.x];
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < half) partial[threadIdx.x] += partial[threadIdx.x + half];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

std::vector<int> fetch(const int *device, int n) {
  std::vector<int> host(n);
  EXPECT(cudaMemcpy(host.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess);
  return host;
}

void check_shapes(int *out) {
  const dim3 shapes[] = {{1, 1, 1},   {31, 1, 1}, {33, 1, 1}, {1024, 1, 1},
                         {16, 16, 1}, {7, 5, 3},  {1, 1, 64}, {4, 4, 64}};
  for (const dim3 &shape : shapes) {
    const int n = shape.x * shape.y * shape.z;
    mirror<<<dim3(3, 2, 2), shape, n * sizeof(int)>>>(out);
    const std::vector<int> result = fetch(out, 12 * n);
    bool right = true;
    for (int i = 0; i < 12 * n; ++i) right &= result[i] == 2 * (n - 1 - (n - 1 - i % n));
    if (!right)
      std::printf("blocks of (%u,%u,%u) are wrong\n", shape.x, shape.y, shape.z), ++failures();
  }
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 12 * 1024 * sizeof(int));
  cudaMalloc(&in, 64 * 256 * sizeof(int));
  check_shapes(out);
  votes<<<1, 100>>>(out);
  for (const int value : fetch(out, 100)) EXPECT(value == 34 * 100 + 10 + 0);
  leave_early<<<1, 100>>>(out, 40);
  for (const int value : fetch(out, 40)) EXPECT(value == 40);
  const std::vector<int> ones(64 * 256, 1);
  cudaMemcpy(in, ones.data(), ones.size() * sizeof(int), cudaMemcpyHostToDevice);
  reduce<256><<<64, 256>>>(in, out);
  for (const int value : fetch(out, 64)) EXPECT(value == 256);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  return failures() != 0;
}
