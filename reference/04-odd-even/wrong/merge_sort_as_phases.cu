// expect on cpu: phases: wrong answer: one phase in each
// Another sort: runs are merged in a few launches, and those that follow only touch the keys.
#include "cuda_check.hpp"
#include "odd_even.hpp"

namespace odd_even {

__device__ float merged[1 << 17];

__global__ void merge_runs(const float* from, float* to, int n, int run) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float mine = from[i];
  const int own = i / run * run, pair = i / (2 * run) * 2 * run;
  const bool is_first = own == pair;
  int low = is_first ? min(own + run, n) : pair;
  const int begin = low;
  for (int high = is_first ? min(own + 2 * run, n) : own; low < high;) {
    const int middle = (low + high) / 2;
    if (from[middle] < mine || (!is_first && from[middle] == mine))
      low = middle + 1;
    else
      high = middle;
  }
  to[pair + i - own + low - begin] = mine;
}

__global__ void copy(float* keys, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) keys[i] = merged[i];
}

__global__ void touch(float* keys, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && keys[i] != keys[i]) keys[i] = 0;
}

void phases(float* keys, int n) {
  if (n < 2) return;
  const int blocks = n / 256 + 1;
  float* other = nullptr;
  CUDA_CHECK(cudaGetSymbolAddress(reinterpret_cast<void**>(&other), merged));
  float* from = keys;
  int launches = 0;
  for (int run = 1; run < n; run *= 2, ++launches) {
    merge_runs<<<blocks, 256>>>(from, from == keys ? other : keys, n, run);
    from = from == keys ? other : keys;
  }
  if (from != keys) copy<<<blocks, 256>>>(keys, n);
  for (; launches < n; ++launches) touch<<<blocks, 256>>>(keys, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace odd_even
