// One fault for each tool of compute-sanitizer, and the same kernel without it. A tool that reports
// nothing about the fault would report nothing about a submission either.
//
//   sanitizer-control memcheck|racecheck|initcheck|synccheck [healthy]
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

namespace {

constexpr int kThreads = 64;  // two warps: within one, a barrier may be missing without a race

__global__ void write_behind(int* out, bool healthy) {
  out[threadIdx.x + (healthy ? 0 : kThreads)] = 1;
}

__global__ void read_a_neighbours(int* out, bool healthy) {
  __shared__ int values[kThreads];
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
  if (healthy) __syncthreads();  // all are written
  out[threadIdx.x] = values[kThreads - 1 - threadIdx.x];
}

__global__ void read_what_nobody_wrote(const int* scratch, int* out, bool healthy) {
  out[threadIdx.x] = healthy ? 0 : scratch[threadIdx.x];
}

__global__ void half_a_warp_waits(int* out, bool healthy) {
  if (healthy || threadIdx.x % 32 < 16) __syncthreads();
  out[threadIdx.x] = 1;
}

}  // namespace

int main(int argc, char** argv) {
  const char* const tool = argc > 1 ? argv[1] : "";
  const bool healthy = argc > 2 && !std::strcmp(argv[2], "healthy");
  int* out = nullptr;
  int* scratch = nullptr;
  if (cudaMalloc(&out, kThreads * sizeof(int)) || cudaMalloc(&scratch, kThreads * sizeof(int))) {
    std::fprintf(stderr, "sanitizer-control: no device memory\n");
    return 3;
  }
  if (!std::strcmp(tool, "memcheck")) {
    write_behind<<<1, kThreads>>>(out, healthy);
  } else if (!std::strcmp(tool, "racecheck")) {
    read_a_neighbours<<<1, kThreads>>>(out, healthy);
  } else if (!std::strcmp(tool, "initcheck")) {
    read_what_nobody_wrote<<<1, kThreads>>>(scratch, out, healthy);
  } else if (!std::strcmp(tool, "synccheck")) {
    half_a_warp_waits<<<1, kThreads>>>(out, healthy);
  } else {
    std::fprintf(stderr, "usage: sanitizer-control TOOL [healthy]\n");
    return 2;
  }
  const cudaError_t error = cudaDeviceSynchronize();
  if (healthy && error) {
    std::fprintf(stderr, "sanitizer-control: %s\n", cudaGetErrorString(error));
    return 3;
  }
  cudaFree(scratch);  // a tool that stopped the kernel has broken the context: no error of ours
  cudaFree(out);
  return 0;
}
