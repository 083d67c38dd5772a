// expect: tiled: wrong answer
// The result is in the other buffer after an odd number of launches, or no kernel was launched.
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
    window[i] = at < 0 ? -INFINITY : at < n ? in[at] : INFINITY;
  }
  __syncthreads();
  for (int phase = 0; phase < kHalo; ++phase) {
    const int i = 2 * threadIdx.x + phase % 2;
    if (i + 1 < kWindow && window[i + 1] < window[i]) {
      const float first = window[i];
      window[i] = window[i + 1];
      window[i + 1] = first;
    }
    __syncthreads();
  }
  const int at = start + kHalo + static_cast<int>(threadIdx.x);
  if (at < n) out[at] = window[kHalo + threadIdx.x];
}

void tiled(float* keys, int n) {
  if (n < 2) return;
  kit::DeviceBuffer<float> other(n);
  const int launches = kit::ceil_div(n, kHalo);
  float *from = keys, *to = other.data();
  for (int launch = 0; launch < launches; ++launch) {
    sort_tiles<<<kit::ceil_div(n, kTile), kWindow / 2>>>(from, to, n);
    std::swap(from, to);
  }
  CUDA_CHECK_LAUNCH();
}

}  // namespace odd_even
