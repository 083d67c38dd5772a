// expect: merge-split: wrong answer
// As one_clean_round.cu, with runs of eleven warps: their length divides fewer places.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "odd_even.hpp"

namespace odd_even {

constexpr int kRun = 352;

__device__ int changed_in;

/// The place of key `mine` of one run when both are merged.
__device__ int merged_place(float mine, int index, const float* other, bool other_first) {
  int low = 0, high = kRun;  // how many of the other run belong before it
  while (low < high) {
    const int middle = (low + high) / 2;
    const bool before = other[middle] < mine || (other_first && other[middle] == mine);
    (before ? low : high) = before ? middle + 1 : middle;
  }
  return index + low;
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
__global__ void merge_and_split(float* keys, int n, int parity, int round) {
  __shared__ float left[kRun], right[kRun];
  const int t = threadIdx.x, start = (2 * blockIdx.x + parity) * kRun;
  left[t] = start + t < n ? keys[start + t] : INFINITY;
  right[t] = start + kRun + t < n ? keys[start + kRun + t] : INFINITY;
  __syncthreads();
  if (t == 0 && right[0] < left[kRun - 1]) changed_in = round;
  const int from_left = start + merged_place(left[t], t, right, false);
  const int from_right = start + merged_place(right[t], t, left, true);
  if (from_left < n) keys[from_left] = left[t];
  if (from_right < n) keys[from_right] = right[t];
}

void merge_split(float* keys, int n) {
  if (n < 2) return;
  const int runs = kit::ceil_div(n, kRun);
  sort_runs<<<runs, kRun>>>(keys, n);
  int last = 0;
  CUDA_CHECK(cudaMemcpyToSymbol(changed_in, &last, sizeof last));
  for (int round = 1; round <= runs; ++round) {
    merge_and_split<<<kit::ceil_div(runs, 2), kRun>>>(keys, n, (round - 1) % 2, round);
    CUDA_CHECK(cudaMemcpyFromSymbol(&last, changed_in, sizeof last));
    if (last != round) break;
  }
  CUDA_CHECK_LAUNCH();
}

}  // namespace odd_even
