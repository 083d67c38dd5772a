// One fault per run, chosen by name; each has a correct twin. The test checks stderr, the exit code
// and the signal.
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "cuda_on_cpu/control.hpp"

__global__ void divergent_barrier(int *out, bool fault) {
  if (threadIdx.x < 16 || !fault) {
    __syncthreads();  // LINE divergent-1
  } else {
    __syncthreads();  // LINE divergent-2
  }
  out[threadIdx.x] = 1;
}

__global__ void early_exit(int *out, bool fault) {
  if (fault && threadIdx.x >= 40) return;
  __syncthreads();  // LINE exit
  out[threadIdx.x] = 1;
}

__global__ void deadlock(int *out, bool fault) {
  if (threadIdx.x >= 32) return;
  if (fault && threadIdx.x == 3)
    __syncthreads();  // LINE deadlock-1
  else
    __syncwarp();  // LINE deadlock-2
  out[threadIdx.x] = 1;
}

__global__ void wrong_mask(int *out, bool fault) {
  out[threadIdx.x] = __shfl_sync(fault ? 0xfffffffeu : 0xffffffffu, 5, 1);  // LINE mask
}

__global__ void absent_lane(int *out, bool fault) {
  const unsigned half = __ballot_sync(0xffffffffu, threadIdx.x < 16);
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_down_sync(half, 1, fault ? 8 : 0);  // LINE absent
}

__global__ void different_functions(int *out, bool fault) {
  if (fault && threadIdx.x == 0)
    out[0] = __any_sync(0xffffffffu, 1);  // LINE different-1
  else
    __syncwarp();  // LINE different-2
  out[threadIdx.x] = 1;
}

__global__ void null_pointer(int *out, bool fault) {
  int *target = fault && blockIdx.x == 1 && threadIdx.x == 5 ? reinterpret_cast<int *>(16) : out;
  target[threadIdx.x] = 1;
}

__device__ __noinline__ int use_stack(int depth) {
  volatile char big[1024];
  big[depth % 1024] = 1;
  return depth ? use_stack(depth - 1) + big[depth % 1024] : 0;
}
__global__ void stack(int *out, bool fault) { out[threadIdx.x] = use_stack(fault ? 100000 : 10); }

__global__ void divide(int *out, bool fault) {
  out[threadIdx.x] = 100 / (fault ? static_cast<int>(threadIdx.x) - 3 : 1);
}

__global__ void endless(int *out, bool fault) {
  volatile int *flag = out;
  flag[threadIdx.x] = 0;
  if (threadIdx.x == 2)
    while (fault && flag[threadIdx.x] == 0) {
    }
}

__global__ void short_work(int *out) { out[0] = 1; }

__global__ void long_work(int *out) {
  volatile int *const seen = out;
  for (int i = 0; i < 20'000'000; ++i) *seen = i;
}

template <int kElements>  // 1 MiB is past the guard page in one step
__global__ void large_array(int *out, bool) {
  volatile int large[kElements];
  large[threadIdx.x] = 1;
  out[threadIdx.x] = large[threadIdx.x];
}

template <int kBytes>
__global__ void static_shared(int *out) {
  __shared__ char small[16];
  __shared__ char large[kBytes];  // LINE static
  small[threadIdx.x % 16] = large[threadIdx.x] = 1;
  out[threadIdx.x] = small[0];
}

__global__ void wild(int *out, bool fault) {  // the bits of two floats are no address
  *reinterpret_cast<int *>(fault ? 0x3f8000003f800000 : reinterpret_cast<std::uintptr_t>(out)) = 1;
}

__device__ int twice(int x) { return 2 * x; }
__device__ int (*functions[2])(int) = {twice, nullptr};
__global__ void no_function(int *out, bool fault) { out[threadIdx.x] = functions[fault](threadIdx.x); }
__global__ void unwritten_function(int *out, bool fault) {
  __shared__ int (*function)(int);
  if (!fault) function = twice;
  out[threadIdx.x] = function(threadIdx.x);
}

__attribute__((noinline)) int sum_of_depths(int depth) {
  volatile char room[4096];
  room[depth & 4095] = 1;
  return depth ? sum_of_depths(depth - 1) + room[depth & 4095] : 0;
}

int run(const char *name, bool fault, int *out) {
  const struct {
    const char *name;
    void (*kernel)(int *, bool);
  } table[] = {{"divergent", divergent_barrier},
               {"exit", early_exit},
               {"deadlock", deadlock},
               {"mask", wrong_mask},
               {"absent", absent_lane},
               {"different", different_functions},
               {"null", null_pointer},
               {"function", no_function},
               {"unwritten", unwritten_function},
               {"stack", stack},
               {"divide", divide},
               {"large", fault ? large_array<1 << 18> : large_array<64>},
               {"wild", wild},
               {"endless", endless}};
  for (const auto &entry : table)
    if (!std::strcmp(name, entry.name)) {
      entry.kernel<<<2, 64>>>(out, fault);
      return 1;
    }
  return 0;
}

// The test ends the program after this line, not after a time: a busy machine launches less in it.
void say_ready() {
  std::puts("ready");
  std::fflush(stdout);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  const bool fault = !std::strcmp(argv[2], "fault");
  int *out, host[64];
  const bool library = !std::strcmp(argv[1], "library"), whole = !std::strcmp(argv[1], "whole");
  void *const target = fault ? nullptr : host;
  if (library) std::memset(target, 0, static_cast<std::size_t>(argc));
  volatile int count = fault ? 0 : 1;
  if (whole) count = argc / count;
  const bool deep = !std::strcmp(argv[1], "deep");
  if (deep && sum_of_depths(fault ? 1 << 20 : 100) < 100) return 2;
  const bool past = !std::strcmp(argv[1], "past");
  volatile char room[64] = {};
  volatile bool goes_on = fault;  // up to the first page after the stack that is not there
  for (long i = 0; past && (goes_on || i < 64);) room[i++];
  cudaMalloc(&out, sizeof host);
  if (!std::strcmp(argv[1], "host")) {
    if (fault) return out[0];  // the host must not read it
  } else if (!std::strcmp(argv[1], "launches")) {
    for (int i = 0; fault || i < 1000; ++i) {
      short_work<<<1, 32>>>(out);
      if (i == 200) say_ready();
    }
  } else if (!std::strcmp(argv[1], "long launches")) {
    for (int i = 0; fault || i < 3; ++i) {
      long_work<<<1, 1>>>(out);
      if (i == 20) say_ready();
    }
  } else if (!std::strcmp(argv[1], "after")) {
    short_work<<<1, 32>>>(out);
    say_ready();
    while (fault) pause();
  } else if (!std::strcmp(argv[1], "static")) {
    if (fault)
      static_shared<48 << 10><<<1, 64>>>(out);
    else
      static_shared<(48 << 10) - 16><<<1, 64>>>(out);
  } else if (!library && !whole && !deep && !past && !run(argv[1], fault, out)) {
    return 2;
  }
  const cudaError_t error = cudaGetLastError();
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%s\n", cudaGetErrorName(error));
  return 0;
}
