#include "ceilings.hpp"

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "worker_clock.hpp"

namespace warpwise {
namespace {

constexpr int kBlock = 256;
constexpr int kBlocksEach = 24;  // per multiprocessor: whole waves of 4, 6 or 8 blocks at once
constexpr int kRepetitions = 7;  // of which the fastest counts
constexpr int kWarmUp = 30;      // launches of milliseconds, until the clock has risen
constexpr int kCompared = 16;    // keys of a thread: a load from shared memory feeds 64 compares
constexpr int kTile = 1024;      // keys in shared memory that a thread compares its own with
constexpr int kTiles = 2;
constexpr int kExchanged = 16;   // keys of a thread
constexpr int kPhases = 2048;
constexpr int kGathers = 128;    // of a thread
constexpr int kCachedWords = 1 << 20;  // of 16 bytes: two such arrays are 32 MB
constexpr int kTurns = 16;
constexpr int kLaunches = 500;
constexpr int kBarriers = 500;

int multiprocessors() {
  int count = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  return count;
}

/// The least time of a few runs, in seconds; the first only warms up.
template <typename Launch>
double fastest(const Launch& launch) {
  double best = 1e30;
  for (int repetition = 0; repetition <= kRepetitions; ++repetition) {
    Event start, end;
    start.record();
    launch();
    end.record();
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    if (repetition > 0) best = std::min(best, 1e-3 * end.milliseconds_since(start));
  }
  return best;
}

// ---- kernels that do one thing ------------------------------------------------------------------

/// Compares every thread's keys with all of a tile, as rank sort would: the sign bit of a
/// difference is 1 where the tile's key is smaller. Keys stay small enough for no difference to
/// overflow.
__global__ void __launch_bounds__(kBlock, 4) compare_and_count(int* out, int seed) {
  __shared__ int4 tile[kTile / 4];
  for (int i = threadIdx.x; i < kTile / 4; i += kBlock)
    tile[i] = {seed + i, seed ^ i, seed - i, seed + 2 * i};
  int key[kCompared], count[kCompared] = {};
  for (int k = 0; k < kCompared; ++k) key[k] = seed + (int(threadIdx.x) * kCompared + k) % 509;
  __syncthreads();  // the tile is complete
  for (int round = 0; round < kTiles; ++round) {
#pragma unroll 8  // the loop's own instructions would cost a tenth
    for (int i = 0; i < kTile / 4; ++i) {
      const int4 other = tile[i];
#pragma unroll
      for (int k = 0; k < kCompared; ++k) {
        count[k] += static_cast<unsigned>(other.x - key[k]) >> 31;
        count[k] += static_cast<unsigned>(other.y - key[k]) >> 31;
        count[k] += static_cast<unsigned>(other.z - key[k]) >> 31;
        count[k] += static_cast<unsigned>(other.w - key[k]) >> 31;
      }
    }
#pragma unroll
    for (int k = 0; k < kCompared; ++k) key[k] += count[k];  // no round repeats another
  }
  int sum = 0;
  for (int k = 0; k < kCompared; ++k) sum += key[k];
  if (sum == seed) *out = sum;  // keeps the compiler from leaving it all out
}

/// Odd-even phases among every thread's own keys.
__global__ void exchange(int* out, int seed) {
  int key[kExchanged];
  for (int k = 0; k < kExchanged; ++k) key[k] = seed * (k + 3) ^ (threadIdx.x << k % 8);
  for (int phase = 0; phase < kPhases; phase += 2) {
#pragma unroll
    for (int parity = 0; parity < 2; ++parity)
#pragma unroll
      for (int k = parity; k + 1 < kExchanged; k += 2) {
        const int low = min(key[k], key[k + 1]), high = max(key[k], key[k + 1]);
        key[k] = low;
        key[k + 1] = high;
      }
  }
  int mixed = 0;
  for (int k = 0; k < kExchanged; ++k) mixed = mixed * 31 + key[k];
  if (mixed == seed) *out = mixed;
}

/// Reads from random places, past L1. The next place does not wait for what was read at the last.
__global__ void gather(const int* from, int shift, int* out) {
  std::uint32_t place = (blockIdx.x * kBlock + threadIdx.x) * 2654435761u;
  int sum = 0;
#pragma unroll 16
  for (int i = 0; i < kGathers; ++i) {
    place = place * 1664525u + 1013904223u;  // its high bits are the random ones
    sum += __ldcg(from + (place >> shift));
  }
  if (sum == 12345) *out = sum;
}

__global__ void nothing() {}

__global__ void wait_for_all(int barriers) {
  const auto grid = cooperative_groups::this_grid();
  for (int i = 0; i < barriers; ++i) grid.sync();
}

// ---- what they reach ----------------------------------------------------------------------------

double gather_rate(int log_of_ints, int blocks, int* out) {
  const kit::DeviceBuffer<int> from(std::size_t{1} << log_of_ints);
  CUDA_CHECK(cudaMemset(from.data(), 0, from.size() * sizeof(int)));
  return double(blocks) * kBlock * kGathers / fastest([&] {
    gather<<<blocks, kBlock>>>(from.data(), 32 - log_of_ints, out);
  });
}

double barrier_seconds(int blocks) {
  const auto with = [&](int barriers) {
    return fastest([&] {
      void* arguments[] = {&barriers};
      CUDA_CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(wait_for_all),
                                             dim3(blocks), dim3(kBlock), arguments, 0, nullptr));
    });
  };
  return (with(kBarriers) - with(0)) / kBarriers;
}

/// Copies the same words again and again; past L1, which is not shared.
__global__ void copy_again(const int4* from, int4* to, int words, int turns) {
  for (int turn = 0; turn < turns; ++turn)
    for (int i = blockIdx.x * kBlock + threadIdx.x; i < words; i += gridDim.x * kBlock)
      __stcg(to + i, __ldcg(from + i));
}

/// Bytes read and written per second where both places fit into the L2 cache of a large GPU.
double cached_copy_rate(int blocks) {
  const kit::DeviceBuffer<int4> from(kCachedWords), to(kCachedWords);
  CUDA_CHECK(cudaMemset(from.data(), 0, kCachedWords * sizeof(int4)));
  const auto with = [&](int turns) {
    return fastest([&] {
      copy_again<<<blocks, kBlock>>>(from.data(), to.data(), kCachedWords, turns);
    });
  };
  return 2.0 * kCachedWords * sizeof(int4) * kTurns / (with(1 + kTurns) - with(1));
}

}  // namespace

Ceilings measure_ceilings() {
  const int processors = multiprocessors(), blocks = processors * kBlocksEach;
  const double threads = double(blocks) * kBlock;
  const kit::DeviceBuffer<int> out(1);
  for (int i = 0; i < kWarmUp; ++i) compare_and_count<<<blocks, kBlock>>>(out.data(), 77);
  Ceilings found;
  found.compares = threads * kCompared * kTile * kTiles / fastest([&] {
    compare_and_count<<<blocks, kBlock>>>(out.data(), 77);
  });
  // An odd phase leaves out the first key and the last.
  found.exchanges = threads * (kExchanged - 1) / 2 * kPhases / fastest([&] {
    exchange<<<blocks, kBlock>>>(out.data(), 77);
  });
  found.copied_bytes = copy_rate(std::size_t{512} << 20);
  found.cached_bytes = std::max(found.copied_bytes, cached_copy_rate(blocks));
  found.l2_gathers = gather_rate(21, blocks, out.data());
  found.memory_gathers = gather_rate(27, blocks, out.data());
  found.launch_seconds = fastest([] {
    for (int i = 0; i < kLaunches; ++i) nothing<<<1, 1>>>();
  }) / kLaunches;
  found.barrier_seconds = barrier_seconds(processors);
  return found;
}

}  // namespace warpwise
