// expect on cpu: phases: wrong answer: not where as many phases leave them
// Every other launch makes two phases; those between only look at the keys.
#include "cuda_check.hpp"
#include "odd_even.hpp"

namespace odd_even {

constexpr int kThreads = 256;

__global__ void two_phases(float* keys, int n, int first) {
  for (int phase = first; phase < min(first + 2, n); ++phase) {
    for (int i = 2 * threadIdx.x + phase % 2; i + 1 < n; i += 2 * kThreads)
      if (keys[i + 1] < keys[i]) {
        const float larger = keys[i];
        keys[i] = keys[i + 1];
        keys[i + 1] = larger;
      }
    __syncthreads();  // the only block has made this phase
  }
}

__global__ void look(const float* keys, int n, float* never) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n && keys[i] + keys[i + 1] == 1.5e38f) *never = 1;
}

void phases(float* keys, int n) {
  for (int phase = 0; phase < n; ++phase) {
    if (phase % 2 == 0)
      two_phases<<<1, kThreads>>>(keys, n, phase);
    else
      look<<<(n + kThreads - 1) / kThreads, kThreads>>>(keys, n, keys);
    CUDA_CHECK_LAUNCH();
  }
}

}  // namespace odd_even
