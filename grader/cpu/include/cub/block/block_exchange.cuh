// cub::BlockExchange: items of a block change places. Blocked: a thread has neighbours. Striped:
// its items lie a block's width apart; warp-striped: a warp's width, within the warp.
#pragma once

#include "../../cuda_on_cpu/cub_lanes.hpp"

#pragma GCC visibility push(default)

namespace cub {

template <class T, int X, int items, bool time_slicing = false, int Y = 1, int Z = 1,
          int legacy = 0>
class BlockExchange {
  static constexpr int kThreads = X * Y * Z, kAll = kThreads * items;

 public:
  struct TempStorage : detail::Storage {
    detail::Room<T, kAll> all;
  };
  CUDA_ON_CPU_CUB_BLOCK(BlockExchange, X, Y, Z)

#define CUDA_ON_CPU_EXCHANGE(name, from, to, begin, meet, end)                               \
  template <class Out>                                                                       \
  CUDA_ON_CPU_LIBRARY void name(const T(&in)[items], Out(&out)[items], CUDA_ON_CPU_CALLER) { \
    begin;                                                                                   \
    for (int i = 0; i < items; ++i) temp_.all[from(i)] = in[i];                              \
    meet;                                                                                    \
    for (int i = 0; i < items; ++i) out[i] = temp_.all[to(i)];                               \
    end;                                                                                     \
  }                                                                                          \
  CUDA_ON_CPU_LIBRARY void name(T(&both)[items], CUDA_ON_CPU_CALLER) { name(both, both, caller); }
  CUDA_ON_CPU_EXCHANGE(StripedToBlocked, striped, blocked, temp_.begin(rank_),
                       __syncthreads(caller), temp_.end())
  CUDA_ON_CPU_EXCHANGE(BlockedToStriped, blocked, striped, temp_.begin(rank_),
                       __syncthreads(caller), temp_.end())
  CUDA_ON_CPU_EXCHANGE(WarpStripedToBlocked, in_warp, blocked, , detail::Lanes<32>(caller).sync(), )
  CUDA_ON_CPU_EXCHANGE(BlockedToWarpStriped, blocked, in_warp, , detail::Lanes<32>(caller).sync(), )
#undef CUDA_ON_CPU_EXCHANGE

// To the places that `ranks` names, all, or those that are not negative, or those with a flag.
#define CUDA_ON_CPU_SCATTER(name, to, condition, ...)                                              \
  template <class Out, class Offset __VA_OPT__(, class Flag)>                                      \
  CUDA_ON_CPU_LIBRARY void name(const T(&in)[items], Out(&out)[items],                             \
                                Offset(&ranks)[items] __VA_OPT__(, ) __VA_ARGS__,                  \
                                CUDA_ON_CPU_CALLER) {                                              \
    temp_.begin(rank_);                                                                            \
    for (int i = 0; i < items; ++i)                                                                \
      if (condition) temp_.all[static_cast<int>(ranks[i])] = in[i];                                \
    __syncthreads(caller);                                                                         \
    for (int i = 0; i < items; ++i) out[i] = temp_.all[to(i)];                                     \
    temp_.end();                                                                                   \
  }                                                                                                \
  template <class Offset __VA_OPT__(, class Flag)>                                                 \
  CUDA_ON_CPU_LIBRARY void name(T(&both)[items], Offset(&ranks)[items] __VA_OPT__(, ) __VA_ARGS__, \
                                CUDA_ON_CPU_CALLER) {                                              \
    name(both, both, ranks __VA_OPT__(, flags), caller);                                           \
  }
  CUDA_ON_CPU_SCATTER(ScatterToBlocked, blocked, true)
  CUDA_ON_CPU_SCATTER(ScatterToStriped, striped, true)
  CUDA_ON_CPU_SCATTER(ScatterToStripedGuarded, striped, ranks[i] >= 0)
  CUDA_ON_CPU_SCATTER(ScatterToStripedFlagged, striped, flags[i], Flag (&flags)[items])
#undef CUDA_ON_CPU_SCATTER

 private:
  CUDA_ON_CPU_LIBRARY int blocked(int i) const { return rank_ * items + i; }
  CUDA_ON_CPU_LIBRARY int striped(int i) const { return i * kThreads + rank_; }
  CUDA_ON_CPU_LIBRARY int in_warp(int i) const {
    const int first = rank_ / 32 * 32, lanes = kThreads - first < 32 ? kThreads - first : 32;
    return first * items + i * lanes + rank_ % 32;
  }
};

}  // namespace cub

#pragma GCC visibility pop
