// expect on cpu: global: wrong answer: one step in each
// Another sort: runs are merged in a few launches, and those that follow only touch the keys.
#include <utility>

#include "bitonic.hpp"
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"

namespace bitonic {

__device__ unsigned ordered(float key) {
  const unsigned bits = __float_as_uint(key);
  return (bits & 0x80000000u ? ~bits : bits | 0x80000000u) - 0x7FFFFFu;
}

__global__ void merge_runs(const float* from, float* to, int n, int run) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned mine = ordered(from[i]);
  const int own = i / run * run, pair = i / (2 * run) * 2 * run;
  const bool is_first = own == pair;
  int low = is_first ? own + run : pair;
  const int begin = low;
  for (int high = low + run; low < high;) {
    const int middle = (low + high) / 2;
    const unsigned other = ordered(from[middle]);
    if (other < mine || (!is_first && other == mine))
      low = middle + 1;
    else
      high = middle;
  }
  to[pair + i - own + low - begin] = from[i];
}

__global__ void touch(float* keys, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && __float_as_uint(keys[i]) == 0x7F812345u) keys[i] = 0;
}

Result global(float* keys, std::size_t n) {
  if (n > kMostKeys || (n & (n - 1)) != 0) return Result::bad_length;
  if (n < 2) return Result::sorted;
  kit::DeviceBuffer<float> other(n);
  float *from = keys, *to = other.data();
  const int blocks = kit::ceil_div<int>(n, 256);
  int k = 0;
  for (std::size_t run = 1; run < n; run *= 2, ++k) {
    merge_runs<<<blocks, 256>>>(from, to, n, run);
    std::swap(from, to);
  }
  if (from != keys)
    CUDA_CHECK(cudaMemcpy(keys, from, n * sizeof(float), cudaMemcpyDeviceToDevice));
  for (int left = k * (k + 1) / 2 - k; left > 0; --left) touch<<<blocks, 256>>>(keys, n);
  CUDA_CHECK_LAUNCH();
  return Result::sorted;
}

}  // namespace bitonic
