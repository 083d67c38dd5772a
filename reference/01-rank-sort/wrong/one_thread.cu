// expect on cpu: strided: wrong answer: the contract asks for
// One thread serves all keys, whatever number of threads is granted.
#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "rank_sort.hpp"

namespace rank_sort {

__global__ void place_all(const float* in, float* out, int n) {
  for (int i = 0; i < n; ++i) {
    int rank = 0;
    for (int j = 0; j < n; ++j) rank += in[j] < in[i];
    out[rank] = in[i];
  }
}

void strided(const float* in, float* out, int n, int) {
  if (n == 0) return;
  place_all<<<1, 1>>>(in, out, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace rank_sort
