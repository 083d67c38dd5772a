// The lanes of a warp for cub: every `width` of them are a logical warp, and give each other values
// of any type.
#pragma once

#include "cub.hpp"

#pragma GCC visibility push(default)

namespace cub::detail {

template <class T>
CUDA_ON_CPU_LIBRARY T from_lane(unsigned mask, const T &value, int lane,
                                ::cuda_on_cpu::Site caller) {
  if constexpr (std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8)) {
    return __shfl_sync(mask, value, lane, 32, caller);
  } else {
    T result = value;
    unsigned long long words[(sizeof(T) + 7) / 8] = {};
    __builtin_memcpy(words, &value, sizeof(T));
    for (unsigned long long &word : words) word = __shfl_sync(mask, word, lane, 32, caller);
    __builtin_memcpy(static_cast<void *>(&result), words, sizeof(T));
    return result;
  }
}

template <int width>
struct Lanes {
  static_assert(width > 0 && width <= 32);
  int lane, first;  // in the logical warp; its first one's in the warp
  unsigned mask;    // without the lanes that the block does not have
  ::cuda_on_cpu::Site caller;

  CUDA_ON_CPU_LIBRARY explicit Lanes(::cuda_on_cpu::Site site) : caller(site) {
    const unsigned thread = thread_of_block(), in_warp = thread % 32;
    lane = static_cast<int>(in_warp % width);
    first = static_cast<int>(in_warp) - lane;
    const unsigned there = blockDim.x * blockDim.y * blockDim.z - (thread - in_warp);
    mask = (width == 32 ? ~0u : (1u << width % 32) - 1) << first;
    if (there < 32) mask &= (1u << there) - 1;
  }

  template <class T>
  CUDA_ON_CPU_LIBRARY T get(const T &value, int from) const {
    return from_lane(mask, value, first + from, caller);
  }
  CUDA_ON_CPU_LIBRARY void sync() const { __syncwarp(mask, caller); }

  // All items from this lane's to that of lane `last`, in their order.
  template <class T, class Operator>
  CUDA_ON_CPU_LIBRARY T reduce(T value, Operator op, int last) const {
    for (int step = 1; step < width; step *= 2) {
      const bool takes = lane + step <= last;
      const T other = get(value, takes ? lane + step : lane);
      if (takes) value = op(value, other);
    }
    return value;
  }
  template <class T, class Operator>
  CUDA_ON_CPU_LIBRARY T scan(T value, Operator op) const {
    for (int step = 1; step < width; step *= 2) {
      const T other = get(value, lane >= step ? lane - step : lane);
      if (lane >= step) value = op(other, value);
    }
    return value;
  }
  // Of the lanes that come after, the first one with a flag; `width` if there is none.
  CUDA_ON_CPU_LIBRARY int next_flag(bool flag, int from) const {
    const unsigned flags = __ballot_sync(mask, flag, caller) >> first;
    for (int i = from; i < width; ++i)
      if (flags >> i & 1) return i;
    return width;
  }
};

}  // namespace cub::detail

#pragma GCC visibility pop
