// Rank sort in place. The shared memory of one block has room for the keys of one array, but not
// always for both keys and result. So the result goes back into the array. Every key has to leave
// its old place before another key moves in: the barriers here are for that.
//
// Each stage loads a key from global memory once and stores it once; comparisons read shared
// memory. The stages differ in what they keep where: ranks in shared memory, ranks in registers, an
// array per warp. The last stage compares less: binary search finds a rank in a sorted run.
#include <cstddef>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "in_place.hpp"

namespace in_place {
namespace {

constexpr int kWarp = 32;

/// n rounded up to whole warps: a block's threads come in warps anyway.
constexpr int whole_warps(int n) { return kit::ceil_div(n, kWarp) * kWarp; }

// ---- stage 1: in place --------------------------------------------------------------------------

__global__ void sort_in_shared(float* keys, int n) {
  // BEGIN STAGE 1 in-place: load, count, move, write back, with barriers between (about 16 lines)
  __shared__ float key[kOneEach];
  __shared__ int rank[kOneEach];
  const int t = threadIdx.x;
  const bool active = t < n;  // the others have nothing to do, but must come to every barrier
  if (active) key[t] = keys[t];
  __syncthreads();  // all keys are loaded before any thread compares
  if (active) {
    rank[t] = 0;
    for (int j = 0; j < n; ++j) rank[t] += key[j] < key[t] || (key[j] == key[t] && j < t);
  }
  const float moving = active ? key[t] : 0.0f;
  __syncthreads();  // all have counted, and hold their key, before any place is overwritten
  if (active) key[rank[t]] = moving;
  __syncthreads();  // all keys have arrived before they are read at their new places
  if (active) keys[t] = key[t];
  // END STAGE 1
}

// ---- stage 2: registers -------------------------------------------------------------------------

// BEGIN STAGE 2 registers: up to 12 keys per thread, ranks in registers (about 35 lines)
// A multiprocessor has 65,536 registers: 64 for each of 1024 threads. Without the launch bound the
// compiler takes a 65th register for twelve keys, and the launch fails for lack of resources.
template <int kKeysPerThread>
__global__ void __launch_bounds__(kOneEach) sort_in_registers(float* keys, int n) {
  extern __shared__ float key[];
  const int t = threadIdx.x;
  const int threads = blockDim.x;
  for (int i = t; i < n; i += threads) key[i] = keys[i];
  __syncthreads();  // all keys are loaded before any thread compares

  float mine[kKeysPerThread];
  int rank[kKeysPerThread];
#pragma unroll  // with constant indices the two arrays stay in registers, otherwise in memory
  for (int k = 0; k < kKeysPerThread; ++k) {
    const int i = k * threads + t;
    mine[k] = i < n ? key[i] : 0.0f;
    rank[k] = 0;
  }
  for (int j = 0; j < n; ++j) {
    const float other = key[j];  // one read for all keys of this thread
#pragma unroll
    for (int k = 0; k < kKeysPerThread; ++k)
      rank[k] += other < mine[k] || (other == mine[k] && j < k * threads + t);
  }
  __syncthreads();  // all have counted before any place is overwritten
#pragma unroll
  for (int k = 0; k < kKeysPerThread; ++k)
    if (k * threads + t < n) key[rank[k]] = mine[k];
  __syncthreads();  // all keys have arrived before they are written back
  for (int i = t; i < n; i += threads) keys[i] = key[i];
}

template <int kKeysPerThread>
void launch_in_registers(float* keys, int n) {
  const int threads = whole_warps(kit::ceil_div(n, kKeysPerThread));
  sort_in_registers<kKeysPerThread><<<1, threads, n * sizeof(float)>>>(keys, n);
}
// END STAGE 2

// ---- stage 3: batched ---------------------------------------------------------------------------

// BEGIN STAGE 3 batched: one block per array, or one warp per small array (about 25 lines)
constexpr int kWarpsPerBlock = 8;

__global__ void sort_array_per_block(float* keys, int n) {
  __shared__ float key[kOneEach];
  float* const array = keys + static_cast<std::size_t>(blockIdx.x) * n;
  const int t = threadIdx.x;
  const float mine = t < n ? array[t] : 0.0f;
  key[t] = mine;
  __syncthreads();  // all keys are loaded, no thread reads the array again: it may be overwritten
  if (t >= n) return;
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += key[j] < mine || (key[j] == mine && j < t);
  array[rank] = mine;
}

/// For n <= 32 lane l holds key l, and shuffles pass the keys around: no shared memory, no barrier.
__global__ void sort_array_per_warp(float* keys, int n, int arrays) {
  const int lane = threadIdx.x % kWarp;
  const int a = blockIdx.x * kWarpsPerBlock + threadIdx.x / kWarp;
  if (a >= arrays) return;  // the whole warp leaves: no shuffle waits for it
  float* const array = keys + static_cast<std::size_t>(a) * n;
  const float mine = lane < n ? array[lane] : 0.0f;
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    const float other = __shfl_sync(0xFFFFFFFFu, mine, j);  // every lane takes part, key or not
    rank += other < mine || (other == mine && j < lane);
  }
  if (lane < n) array[rank] = mine;
}
// END STAGE 3

// ---- stage 4: fast ------------------------------------------------------------------------------

// BEGIN STAGE 4 fast: ranks in a pair of sorted runs, found by binary search (about 25 lines)
/// How many keys of a sorted run belong before `mine`: those below it, and the equal ones if the
/// run is the first of its pair. The number of steps is the same for every lane.
__device__ int count_before(const float* run, int length, float mine, bool is_first) {
  const auto before = [=](float other) { return other < mine || (is_first && other == mine); };
  int count = 0;
  for (int half = length / 2; half > 0; half /= 2)
    if (before(run[count + half - 1])) count += half;
  return count + before(run[count]);
}

/// Sorts an array with a thread for every key. Runs of 1, 2, 4 ... keys are sorted; two neighbours
/// become one when all their keys move to their ranks in the pair.
__global__ void __launch_bounds__(kOneEach) sort_by_search(float* keys, int n) {
  __shared__ float key[kOneEach];
  float* const array = keys + static_cast<std::size_t>(blockIdx.x) * n;
  const int t = threadIdx.x, places = blockDim.x;  // a power of two
  key[t] = t < n ? array[t] : INFINITY;            // comes after all keys, also after infinite ones
  __syncthreads();                                 // all keys are loaded
  for (int run = 1; run < places; run *= 2) {
    const float mine = key[t];
    const int pair = t & -2 * run, other = (t ^ run) & -run;  // where the pair and the other begin
    const int rank = t % run + count_before(key + other, run, mine, other < t);
    __syncthreads();  // all have searched before any place is overwritten
    key[pair + rank] = mine;
    __syncthreads();  // all keys of both runs are there
  }
  if (t < n) array[t] = key[t];
}
// END STAGE 4

}  // namespace

// ---- entry points -------------------------------------------------------------------------------

void in_place(float* keys, int n) {
  // BEGIN STAGE 1 in-place: launch one block with a thread for every key (about 3 lines)
  if (n == 0) return;
  sort_in_shared<<<1, whole_warps(n)>>>(keys, n);
  CUDA_CHECK_LAUNCH();
  // END STAGE 1
}

void registers(float* keys, int n) {
  // BEGIN STAGE 2 registers: as few keys per thread as 1024 threads allow (about 8 lines)
  if (n == 0) return;
  if (n <= kOneEach) {
    launch_in_registers<1>(keys, n);
  } else if (n <= 4 * kOneEach) {
    launch_in_registers<4>(keys, n);
  } else {
    launch_in_registers<kFullShared / kOneEach>(keys, n);
  }
  CUDA_CHECK_LAUNCH();
  // END STAGE 2
}

void batched(float* keys, int n, int arrays) {
  // BEGIN STAGE 3 batched: launch a warp or a block for each array (about 8 lines)
  if (n == 0 || arrays == 0) return;
  if (n <= kWarp) {
    sort_array_per_warp<<<kit::ceil_div(arrays, kWarpsPerBlock), kWarpsPerBlock * kWarp>>>(keys, n,
                                                                                           arrays);
  } else {
    sort_array_per_block<<<arrays, whole_warps(n)>>>(keys, n);
  }
  CUDA_CHECK_LAUNCH();
  // END STAGE 3
}

void fast(float* keys, int n, int arrays) {
  // BEGIN STAGE 4 fast: launch a block for each array, a thread for each key (about 5 lines)
  if (n == 0 || arrays == 0) return;
  int threads = kWarp;
  while (threads < n) threads *= 2;
  sort_by_search<<<arrays, threads>>>(keys, n);
  CUDA_CHECK_LAUNCH();
  // END STAGE 4
}

}  // namespace in_place
