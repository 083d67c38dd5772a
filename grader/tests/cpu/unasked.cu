// Dynamic shared memory, of as many bytes as the first word says, and used from the element on that
// the second one says.
#include <cstdlib>

__global__ void turn_round(int *out, int first) {
  extern __shared__ int turned[];
  turned[first + threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = turned[first + 31 - threadIdx.x];
}

int main(int, char **words) {
  int *out;
  cudaMalloc(&out, 32 * sizeof *out);
  turn_round<<<1, 32, std::atoi(words[1])>>>(out, std::atoi(words[2]));
  return cudaFree(out) != cudaSuccess;
}
