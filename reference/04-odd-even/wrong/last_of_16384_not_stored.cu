// expect: tiled: wrong answer: 270001
// The last key of each 16,384 is not stored, so it comes from memory that nobody wrote.
#include <utility>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "device_buffer.hpp"
#include "odd_even.hpp"

namespace odd_even {

constexpr int kHalo = 128;
constexpr int kTile = 256;
constexpr int kWindow = kTile + 2 * kHalo;

__global__ void sort_tiles(const float* in, float* out, int n) {
  __shared__ float window[kWindow];
  const int tile = blockIdx.x * kTile;  // its first key
  const int start = tile - kHalo;
  for (int i = threadIdx.x; i < kWindow; i += blockDim.x) {
    const int at = start + i;
    window[i] = at < 0 ? -INFINITY : at < n ? in[at] : INFINITY;
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
  if (at < n && at % 16384 != 16383) out[at] = window[kHalo + threadIdx.x];
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
