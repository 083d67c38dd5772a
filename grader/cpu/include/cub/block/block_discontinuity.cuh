// cub::BlockDiscontinuity: which items of a block differ from the one before, or after.
#pragma once

#include "../../cuda_on_cpu/cub.hpp"

#pragma GCC visibility push(default)

namespace cub {

template <class T, int X, int Y = 1, int Z = 1, int legacy = 0>
class BlockDiscontinuity {
  static constexpr int kThreads = X * Y * Z;

 public:
  struct TempStorage : detail::Storage {
    detail::Room<T, kThreads> first, last;  // items of each thread
  };
  CUDA_ON_CPU_CUB_BLOCK(BlockDiscontinuity, X, Y, Z)

  // The block's first item has a flag, unless the first thread says what comes before it; and so
  // its last one.
  template <int items, class Flag, class Operator>
  CUDA_ON_CPU_LIBRARY void FlagHeads(Flag (&heads)[items], T (&input)[items], Operator op,
                                     CUDA_ON_CPU_CALLER) {
    share(input, caller);
    flag_heads(heads, input, op, static_cast<const T *>(nullptr));
    temp_.end();
  }
  template <int items, class Flag, class Operator>
  CUDA_ON_CPU_LIBRARY void FlagHeads(Flag (&heads)[items], T (&input)[items], Operator op, T before,
                                     CUDA_ON_CPU_CALLER) {
    share(input, caller);
    flag_heads(heads, input, op, &before);
    temp_.end();
  }
  template <int items, class Flag, class Operator>
  CUDA_ON_CPU_LIBRARY void FlagTails(Flag (&tails)[items], T (&input)[items], Operator op,
                                     CUDA_ON_CPU_CALLER) {
    share(input, caller);
    flag_tails(tails, input, op, static_cast<const T *>(nullptr));
    temp_.end();
  }
  template <int items, class Flag, class Operator>
  CUDA_ON_CPU_LIBRARY void FlagTails(Flag (&tails)[items], T (&input)[items], Operator op, T after,
                                     CUDA_ON_CPU_CALLER) {
    share(input, caller);
    flag_tails(tails, input, op, &after);
    temp_.end();
  }
  template <int items, class Flag, class Operator>
  CUDA_ON_CPU_LIBRARY void FlagHeadsAndTails(Flag (&heads)[items], Flag (&tails)[items],
                                             T (&input)[items], Operator op, CUDA_ON_CPU_CALLER) {
    share(input, caller);
    flag_heads(heads, input, op, static_cast<const T *>(nullptr));
    flag_tails(tails, input, op, static_cast<const T *>(nullptr));
    temp_.end();
  }
  template <int items, class Flag, class Operator>
  CUDA_ON_CPU_LIBRARY void FlagHeadsAndTails(Flag (&heads)[items], T before, Flag (&tails)[items],
                                             T after, T (&input)[items], Operator op,
                                             CUDA_ON_CPU_CALLER) {
    share(input, caller);
    flag_heads(heads, input, op, &before);
    flag_tails(tails, input, op, &after);
    temp_.end();
  }

 private:
  template <int items>
  CUDA_ON_CPU_LIBRARY void share(T (&input)[items], ::cuda_on_cpu::Site caller) {
    temp_.begin(rank_);
    temp_.first[rank_] = input[0];
    temp_.last[rank_] = input[items - 1];
    __syncthreads(caller);
  }
  template <class Operator>
  CUDA_ON_CPU_LIBRARY static bool differ(Operator &op, const T &a, const T &b, int index) {
    if constexpr (std::is_invocable_v<Operator &, T, T, int>)
      return op(a, b, index);
    else
      return op(a, b);
  }
  template <int items, class Flag, class Operator>
  CUDA_ON_CPU_LIBRARY void flag_heads(Flag (&heads)[items], T (&input)[items], Operator op,
                                      const T *before) {
    for (int i = items - 1; i > 0; --i)
      heads[i] = differ(op, input[i - 1], input[i], rank_ * items + i);
    if (rank_ > 0)
      heads[0] = differ(op, temp_.last[rank_ - 1], input[0], rank_ * items);
    else
      heads[0] = !before || differ(op, *before, input[0], 0);
  }
  template <int items, class Flag, class Operator>
  CUDA_ON_CPU_LIBRARY void flag_tails(Flag (&tails)[items], T (&input)[items], Operator op,
                                      const T *after) {
    const int end = rank_ * items + items;  // the first index of the next thread
    for (int i = 0; i + 1 < items; ++i)
      tails[i] = differ(op, input[i], input[i + 1], rank_ * items + i + 1);
    if (rank_ + 1 < kThreads)
      tails[items - 1] = differ(op, input[items - 1], temp_.first[rank_ + 1], end);
    else
      tails[items - 1] = !after || differ(op, input[items - 1], *after, end);
  }
};

}  // namespace cub

#pragma GCC visibility pop
