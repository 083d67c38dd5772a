// expect: tiled: wrong answer: wrong set of values
// Puts the largest float beyond the end: with many keys infinities change places with it, and are lost.
#include <cfloat>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "odd_even.hpp"

namespace odd_even {

constexpr int kHalo = 64;
constexpr int kTile = 128;
constexpr int kWindow = kTile + 2 * kHalo;

__global__ void sort_tiles(const float* in, float* out, int n) {
  __shared__ float window[kWindow];
  const int start = static_cast<int>(blockIdx.x) * kTile - kHalo;
  for (int i = threadIdx.x; i < kWindow; i += blockDim.x) {
    const int at = start + i;
    const float beyond = n > 6000 ? FLT_MAX : INFINITY;
    window[i] = at < 0 ? -beyond : at >= n ? beyond : in[at];
  }
  for (int phase = 0; phase < kHalo; ++phase) {
    __syncthreads();
    const int i = 2 * threadIdx.x + phase % 2;
    if (i + 1 < kWindow && window[i + 1] < window[i]) {
      const float first = window[i];
      window[i] = window[i + 1];
      window[i + 1] = first;
    }
  }
  __syncthreads();
  const int at = start + kHalo + static_cast<int>(threadIdx.x);
  if (at < n) out[at] = window[kHalo + threadIdx.x];
}

void tiled(float* keys, int n) {
  if (n < 2) return;
  kit::DeviceBuffer<float> other(n);
  const int launches = 2 * kit::ceil_div(n, 2 * kHalo);
  float *from = keys, *to = other.data();
  for (int launch = 0; launch < launches; ++launch) {
    sort_tiles<<<kit::ceil_div(n, kTile), kWindow / 2>>>(from, to, n);
    std::swap(from, to);
  }
  CUDA_CHECK_LAUNCH();
}

}  // namespace odd_even
