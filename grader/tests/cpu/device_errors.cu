// One fault per argument; main prints the error that CUDA's next call returns.
#include <cooperative_groups.h>

#include <cassert>
#include <cstdio>
#include <cstring>

namespace cg = cooperative_groups;

__global__ void assertion(int *out) {
  assert(threadIdx.x != 5 || out == nullptr);  // LINE assert
  out[threadIdx.x] = 1;
}
__global__ void leave_grid(int *) {
  if (blockIdx.x == 1) return;
  cg::this_grid().sync();  // LINE left
}
__global__ void plain_grid(int *) {
  cg::this_grid().sync();  // LINE plain
}
__global__ void divergent_grid(int *) {
  if (threadIdx.x < 8)
    cg::this_grid().sync();  // LINE divergent-1
  else
    __syncthreads();  // LINE divergent-2
}

int main(int, char **arguments) {
  int *out;
  cudaMalloc(&out, 64 * sizeof(int));
  void *values[] = {&out};
  const auto is = [&](const char *name) { return std::strcmp(arguments[1], name) == 0; };
  if (is("assert")) assertion<<<1, 32>>>(out);
  if (is("plain")) plain_grid<<<2, 32>>>(out);
  if (is("left")) cudaLaunchCooperativeKernel(leave_grid, dim3(3), dim3(32), values, 0, nullptr);
  if (is("divergent"))
    cudaLaunchCooperativeKernel(divergent_grid, dim3(2), dim3(32), values, 0, nullptr);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
