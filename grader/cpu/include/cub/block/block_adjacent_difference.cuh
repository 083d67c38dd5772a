// cub::BlockAdjacentDifference: each item of a block and its neighbour, by an operator.
#pragma once

#include "../../cuda_on_cpu/cub.hpp"

#pragma GCC visibility push(default)

namespace cub {

template <class T, int X, int Y = 1, int Z = 1, int legacy = 0>
class BlockAdjacentDifference {
  static constexpr int kThreads = X * Y * Z;

 public:
  struct TempStorage : detail::Storage {
    detail::Room<T, kThreads> edge;  // the item of each thread that a neighbour needs
  };
  CUDA_ON_CPU_CUB_BLOCK(BlockAdjacentDifference, X, Y, Z)

  // The block's first item stays as it is, unless the program says what comes before it.
  template <int items, class Out, class Operator>
  CUDA_ON_CPU_LIBRARY void SubtractLeft(T (&in)[items], Out (&out)[items], Operator op,
                                        CUDA_ON_CPU_CALLER) {
    left(in, out, op, kThreads * items, static_cast<const T *>(nullptr), caller);
  }
  template <int items, class Out, class Operator>
  CUDA_ON_CPU_LIBRARY void SubtractLeft(T (&in)[items], Out (&out)[items], Operator op, T before,
                                        CUDA_ON_CPU_CALLER) {
    left(in, out, op, kThreads * items, &before, caller);
  }
  template <int items, class Out, class Operator>
  CUDA_ON_CPU_LIBRARY void SubtractLeftPartialTile(T (&in)[items], Out (&out)[items], Operator op,
                                                   int valid, CUDA_ON_CPU_CALLER) {
    left(in, out, op, valid, static_cast<const T *>(nullptr), caller);
  }
  // And so its last one.
  template <int items, class Out, class Operator>
  CUDA_ON_CPU_LIBRARY void SubtractRight(T (&in)[items], Out (&out)[items], Operator op,
                                         CUDA_ON_CPU_CALLER) {
    right(in, out, op, kThreads * items, static_cast<const T *>(nullptr), caller);
  }
  template <int items, class Out, class Operator>
  CUDA_ON_CPU_LIBRARY void SubtractRight(T (&in)[items], Out (&out)[items], Operator op, T after,
                                         CUDA_ON_CPU_CALLER) {
    right(in, out, op, kThreads * items, &after, caller);
  }
  template <int items, class Out, class Operator>
  CUDA_ON_CPU_LIBRARY void SubtractRightPartialTile(T (&in)[items], Out (&out)[items], Operator op,
                                                    int valid, CUDA_ON_CPU_CALLER) {
    right(in, out, op, valid, static_cast<const T *>(nullptr), caller);
  }

 private:
  CUDA_ON_CPU_LIBRARY void share(const T &edge, ::cuda_on_cpu::Site caller) {
    temp_.begin(rank_);
    temp_.edge[rank_] = edge;
    __syncthreads(caller);
  }
  template <int items, class Out, class Operator>
  CUDA_ON_CPU_LIBRARY void left(T (&in)[items], Out (&out)[items], Operator op, int valid,
                                const T *before, ::cuda_on_cpu::Site caller) {
    share(in[items - 1], caller);
    for (int i = items - 1; i >= 0; --i) {
      const int index = rank_ * items + i;
      if (index >= valid || (index == 0 && !before))
        out[i] = in[i];
      else
        out[i] = op(in[i], i > 0 ? in[i - 1] : rank_ > 0 ? temp_.edge[rank_ - 1] : *before);
    }
    temp_.end();
  }
  template <int items, class Out, class Operator>
  CUDA_ON_CPU_LIBRARY void right(T (&in)[items], Out (&out)[items], Operator op, int valid,
                                 const T *after, ::cuda_on_cpu::Site caller) {
    share(in[0], caller);
    for (int i = 0; i < items; ++i) {
      const int index = rank_ * items + i;
      if (index >= valid || (index == valid - 1 && !after))
        out[i] = in[i];
      else if (i + 1 < items)
        out[i] = op(in[i], in[i + 1]);
      else
        out[i] = op(in[i], rank_ + 1 < kThreads ? temp_.edge[rank_ + 1] : *after);
    }
    temp_.end();
  }
};

}  // namespace cub

#pragma GCC visibility pop
