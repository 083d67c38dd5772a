// Dynamic shared memory, of as many bytes as the first word says.
#include <cstdlib>

__global__ void turn_round(int *out) {
  extern __shared__ int turned[];
  turned[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = turned[31 - threadIdx.x];
}

int main(int, char **words) {
  int *out;
  cudaMalloc(&out, 32 * sizeof *out);
  turn_round<<<1, 32, std::atoi(words[1])>>>(out);
  return cudaFree(out) != cudaSuccess;
}
