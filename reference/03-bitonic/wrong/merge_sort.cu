// expect on cpu: global: wrong answer: launches
// Another sort: every launch merges runs, each key by a binary search in the other run.
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

__global__ void merge(const float* from, float* to, unsigned n, unsigned run) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned pair = i / (2 * run) * (2 * run), within = i % run;
  const bool second = i & run;
  const unsigned other = second ? pair : pair + run, mine = ordered(from[i]);
  unsigned low = 0, high = run;
  while (low < high) {
    const unsigned middle = (low + high) / 2, word = ordered(from[other + middle]);
    if (word < mine || (second && word == mine)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  to[pair + within + low] = from[i];
}

Result global(float* keys, std::size_t n) {
  if (n > kMostKeys || (n & (n - 1)) != 0) return Result::bad_length;
  if (n < 2) return Result::sorted;
  kit::DeviceBuffer<float> scratch(n);
  float *from = keys, *to = scratch.data();
  for (unsigned run = 1; run < n; run *= 2, std::swap(from, to))
    merge<<<kit::ceil_div<unsigned>(n, 256), 256>>>(from, to, n, run);
  CUDA_CHECK_LAUNCH();
  if (from != keys)
    CUDA_CHECK(cudaMemcpy(keys, from, n * sizeof(float), cudaMemcpyDeviceToDevice));
  return Result::sorted;
}

}  // namespace bitonic
