// cub::BlockReduce: one value of all items of a block, for its first thread.
#pragma once

#include "../thread/thread_operators.cuh"

#pragma GCC visibility push(default)

namespace cub {

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS,
  BLOCK_REDUCE_WARP_REDUCTIONS_NONDETERMINISTIC,
};

template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1,
          int legacy = 0>
class BlockReduce {
  static constexpr int kThreads = X * Y * Z;

 public:
  struct TempStorage : detail::Storage {
    detail::Room<T, kThreads> partial;
  };
  CUDA_ON_CPU_CUB_BLOCK(BlockReduce, X, Y, Z)

  template <class Operator>
  CUDA_ON_CPU_LIBRARY T Reduce(T input, Operator op, CUDA_ON_CPU_CALLER) {
    return reduce(input, op, kThreads, caller);
  }
  template <class Operator>
  CUDA_ON_CPU_LIBRARY T Reduce(T input, Operator op, int valid, CUDA_ON_CPU_CALLER) {
    return reduce(input, op, valid, caller);
  }
  template <int items, class Operator>
  CUDA_ON_CPU_LIBRARY T Reduce(T (&input)[items], Operator op, CUDA_ON_CPU_CALLER) {
    return reduce(detail::fold(input, op), op, kThreads, caller);
  }
  CUDA_ON_CPU_LIBRARY T Sum(T input, CUDA_ON_CPU_CALLER) {
    return reduce(input, detail::Plus(), kThreads, caller);
  }
  CUDA_ON_CPU_LIBRARY T Sum(T input, int valid, CUDA_ON_CPU_CALLER) {
    return reduce(input, detail::Plus(), valid, caller);
  }
  template <int items>
  CUDA_ON_CPU_LIBRARY T Sum(T (&input)[items], CUDA_ON_CPU_CALLER) {
    return reduce(detail::fold(input, detail::Plus()), detail::Plus(), kThreads, caller);
  }

 private:
  // Of the first `valid` threads. All but the first thread get what means nothing.
  template <class Operator>
  CUDA_ON_CPU_LIBRARY T reduce(T own, Operator op, int valid, ::cuda_on_cpu::Site caller) {
    temp_.begin(rank_);
    if (rank_ < valid) temp_.partial[rank_] = own;
    __syncthreads(caller);
    T all = own;
    if (rank_ == 0)
      for (int i = 1; i < valid && i < kThreads; ++i) all = op(all, temp_.partial[i]);
    temp_.end();
    return all;
  }
};

}  // namespace cub

#pragma GCC visibility pop
