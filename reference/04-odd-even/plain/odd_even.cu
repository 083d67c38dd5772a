// Lab 04, the plain forms of the stages with points for speed. `tiled` holds a tile and its halo in
// shared memory, with a barrier after every phase. `merge-split` has one block per run, which reads
// both runs of its pair.
#include <climits>
#include <utility>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "odd_even.hpp"
#include "pool_buffer.hpp"

namespace odd_even {
namespace {

// ---- tiled --------------------------------------------------------------------------------------

constexpr int kThreads = 256, kWindow = 2 * kThreads, kHalo = 128, kKept = kWindow - 2 * kHalo;

/// Makes kHalo phases. Thread t compares places 2 t and 2 t + 1, then 2 t + 1 and 2 t + 2.
__global__ void sort_windows(const float* from, float* to, int n) {
  __shared__ float key[kWindow];
  const int t = threadIdx.x, start = blockIdx.x * kKept - kHalo;
  for (int k = t; k < kWindow; k += kThreads) {
    const int at = start + k;
    key[k] = at < 0 ? -INFINITY : at < n ? from[at] : INFINITY;
  }
  __syncthreads();  // the window is there
  for (int phase = 0; phase < kHalo; ++phase) {
    const int k = 2 * t + phase % 2;
    if (k + 1 < kWindow && key[k + 1] < key[k]) {
      const float larger = key[k];
      key[k] = key[k + 1];
      key[k + 1] = larger;
    }
    __syncthreads();  // the phase is over
  }
  for (int k = kHalo + t; k < kHalo + kKept; k += kThreads)
    if (start + k < n) to[start + k] = key[k];
}

// ---- merge-split --------------------------------------------------------------------------------

constexpr int kItems = 8, kRun = kThreads * kItems;

/// Item `diagonal` and the next of the two merged runs; of equal keys those from a come first.
__device__ void merge_items(const float* a, const float* b, int length, int diagonal, float* item) {
  int i = max(0, diagonal - length), last = min(diagonal, length);
  while (i < last) {
    const int middle = (i + last) / 2;
    if (b[diagonal - 1 - middle] < a[middle])
      last = middle;
    else
      i = middle + 1;
  }
  int j = diagonal - i;
  for (int k = 0; k < kItems; ++k)
    item[k] = i == length || (j < length && b[j] < a[i]) ? b[j++] : a[i++];
}

__device__ float key_at(const float* keys, int n, int at) { return at < n ? keys[at] : INFINITY; }

/// Each block sorts one run: every thread its own keys, then merges double the length.
__global__ void sort_runs(float* keys, int n) {
  __shared__ float run[kRun];
  const int first = threadIdx.x * kItems, start = blockIdx.x * kRun + first;
  float item[kItems];
  for (int k = 0; k < kItems; ++k) item[k] = key_at(keys, n, start + k);
  for (int phase = 0; phase < kItems; ++phase)
    for (int k = phase % 2; k + 1 < kItems; k += 2)
      if (item[k + 1] < item[k]) {
        const float larger = item[k];
        item[k] = item[k + 1];
        item[k + 1] = larger;
      }
  for (int width = kItems;; width *= 2) {
    for (int k = 0; k < kItems; ++k) run[first + k] = item[k];
    __syncthreads();  // sorted parts of `width` keys are there
    if (width >= kRun) break;
    const int pair = first / (2 * width) * (2 * width);
    merge_items(run + pair, run + pair + width, width, first - pair, item);
    __syncthreads();  // all threads have taken their keys out
  }
  for (int k = 0; k < kItems; ++k)
    if (start + k < n) keys[start + k] = item[k];
}

/// One round: a block loads both runs of its pair and keeps one half of the merged keys.
__global__ void merge_and_split(const float* in, float* out, int n, int parity) {
  __shared__ float both[2 * kRun];
  const int run = blockIdx.x, runs = gridDim.x, first = threadIdx.x * kItems;
  const int left = run % 2 == parity ? run : run - 1;
  const bool alone = left < 0 || left + 1 == runs;
  float item[kItems];
  if (alone) {
    for (int k = 0; k < kItems; ++k) item[k] = key_at(in, n, run * kRun + first + k);
  } else {
    for (int k = threadIdx.x; k < 2 * kRun; k += kThreads) both[k] = key_at(in, n, left * kRun + k);
    __syncthreads();  // both runs are there
    merge_items(both, both + kRun, kRun, (run - left) * kRun + first, item);
  }
  for (int k = 0; k < kItems; ++k)
    if (run * kRun + first + k < n) out[run * kRun + first + k] = item[k];
}

}  // namespace

void tiled(float* keys, int n) {
  if (n < 2) return;
  kit::PoolBuffer<float> other(n);
  float *from = keys, *to = other.data();
  const int launches = 2 * kit::ceil_div(n, 2 * kHalo), blocks = kit::ceil_div(n, kKept);
  for (int launch = 0; launch < launches; ++launch, std::swap(from, to))
    sort_windows<<<blocks, kThreads>>>(from, to, n);
  CUDA_CHECK_LAUNCH();
}

void merge_split(float* keys, int n) {
  if (n < 2) return;
  const int runs = kit::ceil_div(n, kRun), rounds = 2 * kit::ceil_div(runs, 2);
  kit::PoolBuffer<float> other(n);
  float *from = keys, *to = other.data();
  sort_runs<<<runs, kThreads>>>(keys, n);
  for (int round = 0; round < rounds && runs > 1; ++round, std::swap(from, to))
    merge_and_split<<<runs, kThreads>>>(from, to, n, round % 2);
  CUDA_CHECK_LAUNCH();
}

}  // namespace odd_even
