// expect: tiled: wrong answer
// A warp makes no phases where each lane's keys are in order: whether the lanes are, nobody asks.
#include <climits>
#include <utility>

#include "ceil_div.hpp"
#include "cuda_check.hpp"
#include "odd_even.hpp"
#include "pool_buffer.hpp"

namespace odd_even {

constexpr int kBlock = 256;

constexpr int kWarp = 32;
constexpr int kKeysPerLane = 12;  // six exchanges at a time hide most of a shuffle's latency
constexpr int kStrip = kWarp * kKeysPerLane;
constexpr int kHalo = 8 * kKeysPerLane;    // at each end of a strip; also the phases of a launch
constexpr int kKept = kStrip - 2 * kHalo;  // neighbouring strips overlap by two halos
static_assert(kHalo % 2 == 0 && kKept % 2 == 0, "a launch and a strip begin with an even phase");

/// Maps floats to integers of the same order, and back: it is its own inverse. For integers,
/// minimum and maximum take one instruction each, and there are numbers beyond both infinities.
__device__ int ordered(int bits) { return bits ^ ((bits >> 31) & 0x7FFFFFFF); }

__device__ void exchange(int& low, int& high) {
  const int smaller = min(low, high);
  high = max(low, high);
  low = smaller;
}

/// Makes an even phase, then an odd one, on the keys of a warp. The outermost keys have no partner
/// in an odd phase and become wrong, but they are in the halo.
__device__ void two_phases(int (&key)[kKeysPerLane]) {
  constexpr int kLast = kKeysPerLane - 1;
#pragma unroll  // with constant indices the keys stay in registers
  for (int k = 0; k < kLast; k += 2) exchange(key[k], key[k + 1]);
  const int left = __shfl_up_sync(0xFFFFFFFF, key[kLast], 1);
  const int right = __shfl_down_sync(0xFFFFFFFF, key[0], 1);
#pragma unroll
  for (int k = 1; k < kLast; k += 2) exchange(key[k], key[k + 1]);
  key[0] = max(left, key[0]);
  key[kLast] = min(key[kLast], right);
}

/// Makes kHalo phases on a strip. The keys that are right then, all but the halo, go to `to`.
/// Neighbours still read the keys in `from`, so `to` is another array.
__global__ void __launch_bounds__(kBlock) sort_strips(const float* from, float* to, int n) {
  const int strip = blockIdx.x * (kBlock / kWarp) + threadIdx.x / kWarp;
  const int in_strip = threadIdx.x % kWarp * kKeysPerLane;
  const int start = strip * kKept - kHalo + in_strip;
  int key[kKeysPerLane];
#pragma unroll
  for (int k = 0; k < kKeysPerLane; ++k) {
    const int at = start + k;  // beyond both ends the keys never move
    key[k] = at < 0 ? INT_MIN : at < n ? ordered(__float_as_int(from[at])) : INT_MAX;
  }
  bool sorted = true;
  for (int k = 1; k < kKeysPerLane; ++k) sorted &= key[k - 1] <= key[k];
  if (!__all_sync(0xFFFFFFFF, sorted))
    for (int phase = 0; phase < kHalo; phase += 2) two_phases(key);
#pragma unroll
  for (int k = 0; k < kKeysPerLane; ++k)
    if (in_strip + k >= kHalo && in_strip + k < kHalo + kKept && start + k < n)
      to[start + k] = __int_as_float(ordered(key[k]));
}

void tiled(float* keys, int n) {
  if (n < 2) return;
  kit::PoolBuffer<float> other(n);
  float *from = keys, *to = other.data();
  const int launches = 2 * kit::ceil_div(n, 2 * kHalo);
  const int blocks = kit::ceil_div(n, kKept * (kBlock / kWarp));
  for (int launch = 0; launch < launches; ++launch, std::swap(from, to))
    sort_strips<<<blocks, kBlock>>>(from, to, n);
  CUDA_CHECK_LAUNCH();
}

}  // namespace odd_even
