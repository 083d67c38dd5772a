// What it costs that threads wait for each other: nanoseconds of processor time for each thread and
// call, one line for each way to wait. The best of many short rounds: other programs on the machine
// can only make a round slower.
//
//   python3 ../cucc.py waiting.cu -o waiting && WARPWISE_WORKERS=1 ./waiting
#include <cooperative_groups.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace cg = cooperative_groups;

constexpr unsigned kAll = 0xffffffffu;
constexpr int kThreads = 2048, kCalls = 100, kRounds = 25;

struct Shuffle {
  static constexpr const char *kName = "__shfl_xor_sync";
  __device__ int operator()(int value, int i) const {
    return __shfl_xor_sync(kAll, value, 1 << (i % 5));
  }
};

struct Broadcast {
  static constexpr const char *kName = "__shfl_sync";
  __device__ int operator()(int value, int i) const { return __shfl_sync(kAll, value, i % 32); }
};

struct Ballot {
  static constexpr const char *kName = "__ballot_sync";
  __device__ int operator()(int value, int) const { return __ballot_sync(kAll, value & 1); }
};

struct Reduce {
  static constexpr const char *kName = "__reduce_add_sync";
  __device__ int operator()(int value, int) const { return __reduce_add_sync(kAll, value); }
};

struct SyncWarp {
  static constexpr const char *kName = "__syncwarp";
  __device__ int operator()(int value, int) const {
    __syncwarp();
    return value;
  }
};

struct Tile {
  static constexpr const char *kName = "tile of 8: shfl_xor";
  __device__ int operator()(int value, int i) const {
    return cg::tiled_partition<8>(cg::this_thread_block()).shfl_xor(value, 1 << (i % 3));
  }
};

// Half of the lanes have other work than the rest.
struct Halves {
  static constexpr const char *kName = "a function in each half";
  __device__ int operator()(int value, int) const {
    if (threadIdx.x & 16) return __reduce_max_sync(0xffff0000u, value);
    return __reduce_min_sync(0x0000ffffu, value);
  }
};

struct Barrier {
  static constexpr const char *kName = "__syncthreads";
  __device__ int operator()(int value, int) const {
    __syncthreads();
    return value;
  }
};

// As a block sums up: each warp by shuffles, then the first warp the others' sums.
struct FirstWarp {
  static constexpr const char *kName = "barrier and first warp";
  __device__ int operator()(int value, int) const {
    __syncthreads();
    if (threadIdx.x < 32) value = __shfl_down_sync(kAll, value, 1);
    return value;
  }
};

struct AfterBarrier {
  static constexpr const char *kName = "barrier and shuffle";
  __device__ int operator()(int value, int) const {
    __syncthreads();
    return __shfl_down_sync(kAll, value, 1);
  }
};

struct Count {
  static constexpr const char *kName = "__syncthreads_count";
  __device__ int operator()(int value, int) const {
    return __syncthreads_count(value & 1);
  }
};

template <class Call>
__global__ void wait_often(int *out, Call call) {
  int value = threadIdx.x;
  for (int i = 0; i < kCalls; ++i) value += call(value, i);
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

double processor_nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1e9 + now.tv_nsec;
}

template <class Call>
void measure(int *out) {
  std::printf("%-24s", Call::kName);
  for (const int block : {32, 256, 1024}) {
    double best = 1e30;
    for (int round = 0; round < kRounds; ++round) {
      const double start = processor_nanoseconds();
      wait_often<<<kThreads / block, block>>>(out, Call());
      best = std::min(best, processor_nanoseconds() - start);
    }
    std::printf("%8.1f", best / kThreads / kCalls);
  }
  std::printf("\n");
}

int main() {
  int *out;
  cudaMalloc(&out, kThreads * sizeof(int));
  std::printf("%-24s%8s%8s%8s  ns for each thread and call\n", "threads of a block", "32", "256",
              "1024");
  measure<Shuffle>(out);
  measure<Broadcast>(out);
  measure<Ballot>(out);
  measure<Reduce>(out);
  measure<SyncWarp>(out);
  measure<Tile>(out);
  measure<Halves>(out);
  measure<Barrier>(out);
  measure<Count>(out);
  measure<AfterBarrier>(out);
  measure<FirstWarp>(out);
  cudaFree(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
