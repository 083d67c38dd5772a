// expect: global: wrong answer
// One launch keeps the ranks in 16 bits for the next one: beyond 65,536 keys they begin again.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__global__ void count_smaller(const float* in, unsigned short* rank, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float mine = in[i];
  int smaller = 0;
  for (int j = 0; j < n; ++j) smaller += in[j] < mine;
  rank[i] = smaller;
}

__global__ void place(const float* in, const unsigned short* rank, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[rank[i]] = in[i];
}

void global(const float* in, float* out, int n) {
  if (n == 0) return;
  kit::DeviceBuffer<unsigned short> rank(n);
  count_smaller<<<kit::ceil_div(n, 256), 256>>>(in, rank.data(), n);
  place<<<kit::ceil_div(n, 256), 256>>>(in, rank.data(), out, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
