// expect: merge-split: race
// A pair of runs begins at every run, not at every second one: two blocks have a run in common.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "odd_even.hpp"

namespace odd_even {

constexpr int kRun = 256;

/// The place of key `mine` of one run when both are merged.
__device__ int merged_place(float mine, int index, const float* other, bool other_first) {
  int place = index;
  for (int k = 0; k < kRun; ++k) place += other[k] < mine || (other_first && other[k] == mine);
  return place;
}

__global__ void sort_runs(float* keys, int n) {
  __shared__ float run[kRun];
  const int t = threadIdx.x, at = blockIdx.x * kRun + t;
  const float mine = at < n ? keys[at] : INFINITY;
  run[t] = mine;
  __syncthreads();
  int rank = 0;
  for (int j = 0; j < kRun; ++j) rank += run[j] < mine || (run[j] == mine && j < t);
  const int place = blockIdx.x * kRun + rank;
  if (place < n) keys[place] = mine;
}

/// One block per pair of runs.
__global__ void merge_and_split(float* keys, int n, int parity) {
  __shared__ float left[kRun], right[kRun];
  const int t = threadIdx.x, start = (blockIdx.x + parity) * kRun;
  left[t] = start + t < n ? keys[start + t] : INFINITY;
  right[t] = start + kRun + t < n ? keys[start + kRun + t] : INFINITY;
  __syncthreads();
  const int from_left = start + merged_place(left[t], t, right, false);
  const int from_right = start + merged_place(right[t], t, left, true);
  if (from_left < n) keys[from_left] = left[t];
  if (from_right < n) keys[from_right] = right[t];
}

void merge_split(float* keys, int n) {
  if (n < 2) return;
  const int runs = kit::ceil_div(n, kRun);
  sort_runs<<<runs, kRun>>>(keys, n);
  for (int round = 0; round < runs; ++round)
    merge_and_split<<<kit::ceil_div(runs, 2), kRun>>>(keys, n, round % 2);
  CUDA_CHECK_LAUNCH();
}

}  // namespace odd_even
