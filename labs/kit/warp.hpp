// The threads of a warp, its lanes, run together and can read each other's registers.
#pragma once

#include <cuda_runtime.h>

namespace kit {

inline constexpr int kWarp = 32;                    // lanes
inline constexpr unsigned kAllLanes = 0xFFFFFFFFu;  // the mask for all of them

/// Combines the values of all lanes, in any order: combine(combine(a, b), c) ... Every lane gets
/// the result. All lanes of the warp must call it together.
template <typename T, typename Combine>
__device__ T over_lanes(T value, Combine combine) {
  for (int apart = kWarp / 2; apart > 0; apart /= 2)
    value = combine(value, __shfl_xor_sync(kAllLanes, value, apart));
  return value;
}

/// The sum of the values of this lane and of all lanes below it. All lanes of the warp must call it
/// together. The last lane gets the sum of all.
template <typename T>
__device__ T sum_up_to_lane(T value) {
  for (int step = 1; step < kWarp; step *= 2) {
    const T left = __shfl_up_sync(kAllLanes, value, step);
    if (static_cast<int>(threadIdx.x) % kWarp >= step) value += left;
  }
  return value;
}

}  // namespace kit
