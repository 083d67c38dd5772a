// expect: second: wrong answer: nothing was written to index 1024
// One element per thread: what lies after the last thread is never served.
#include <algorithm>

#include "@SPACE@.hpp"
#include "ceil_div.hpp"
#include "cuda_check.hpp"

namespace @SPACE@ {

__global__ void double_each(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}

void second(const int* in, int* out, int n) {
  if (n == 0) return;
  double_each<<<std::min(kit::ceil_div(n, 256), 4), 256>>>(in, out, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace @SPACE@
