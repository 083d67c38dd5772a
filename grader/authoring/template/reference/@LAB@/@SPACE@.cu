// @TITLE@: what the program does, in three sentences; what it costs in memory traffic.
#include "@SPACE@.hpp"

#include <algorithm>

#include "ceil_div.hpp"
#include "cuda_check.hpp"

namespace @SPACE@ {
namespace {

constexpr int kBlock = 256;  // threads of a block: a multiple of the warp's 32
constexpr int kMostBlocks = 4;

// ---- stage 1 ------------------------------------------------------------------------------------

__global__ void double_each(const int* in, int* out, int n) {
  // BEGIN STAGE 1 first: thread i writes twice in[i] to out[i] (about 2 lines)
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
  // END STAGE 1
}

// ---- stage 2 ------------------------------------------------------------------------------------

__global__ void double_several(const int* in, int* out, int n) {
  // BEGIN STAGE 2 second: every thread serves several elements (about 3 lines)
  const int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) out[i] = 2 * in[i];
  // END STAGE 2
}

}  // namespace

void first(const int* in, int* out, int n) {
  // BEGIN STAGE 1 first: launch one thread for every element, none for n = 0 (about 3 lines)
  if (n == 0) return;
  double_each<<<kit::ceil_div(n, kBlock), kBlock>>>(in, out, n);
  CUDA_CHECK_LAUNCH();
  // END STAGE 1
}

void second(const int* in, int* out, int n) {
  // BEGIN STAGE 2 second: launch at most kMostBlocks blocks (about 3 lines)
  if (n == 0) return;
  double_several<<<std::min(kit::ceil_div(n, kBlock), kMostBlocks), kBlock>>>(in, out, n);
  CUDA_CHECK_LAUNCH();
  // END STAGE 2
}

}  // namespace @SPACE@
