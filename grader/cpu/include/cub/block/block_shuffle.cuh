// cub::BlockShuffle: threads of a block take items of others, some ranks away.
#pragma once

#include "../../cuda_on_cpu/cub.hpp"

#pragma GCC visibility push(default)

namespace cub {

template <class T, int X, int Y = 1, int Z = 1, int legacy = 0>
class BlockShuffle {
  static constexpr int kThreads = X * Y * Z;

 public:
  struct TempStorage : detail::Storage {
    detail::Room<T, kThreads> of;
  };
  CUDA_ON_CPU_CUB_BLOCK(BlockShuffle, X, Y, Z)

  // A thread whose source is outside of the block keeps its output as it is.
  CUDA_ON_CPU_LIBRARY void Offset(T input, T &output, int distance = 1, CUDA_ON_CPU_CALLER) {
    share(input, caller);
    const int from = rank_ + distance;
    if (from >= 0 && from < kThreads) output = temp_.of[from];
    temp_.end();
  }
  CUDA_ON_CPU_LIBRARY void Rotate(T input, T &output, unsigned distance = 1, CUDA_ON_CPU_CALLER) {
    share(input, caller);
    output = temp_.of[static_cast<int>((rank_ + distance) % kThreads)];
    temp_.end();
  }
  template <int items>
  CUDA_ON_CPU_LIBRARY void Up(T (&input)[items], T (&previous)[items], CUDA_ON_CPU_CALLER) {
    share(input[items - 1], caller);
    for (int i = items - 1; i > 0; --i) previous[i] = input[i - 1];
    if (rank_ > 0) previous[0] = temp_.of[rank_ - 1];
    temp_.end();
  }
  template <int items>
  CUDA_ON_CPU_LIBRARY void Up(T (&input)[items], T (&previous)[items], T &last,
                              CUDA_ON_CPU_CALLER) {
    Up(input, previous, caller);
    last = temp_.of[kThreads - 1];
  }
  template <int items>
  CUDA_ON_CPU_LIBRARY void Down(T (&input)[items], T (&next)[items], CUDA_ON_CPU_CALLER) {
    share(input[0], caller);
    for (int i = 0; i + 1 < items; ++i) next[i] = input[i + 1];
    if (rank_ + 1 < kThreads) next[items - 1] = temp_.of[rank_ + 1];
    temp_.end();
  }
  template <int items>
  CUDA_ON_CPU_LIBRARY void Down(T (&input)[items], T (&next)[items], T &first, CUDA_ON_CPU_CALLER) {
    Down(input, next, caller);
    first = temp_.of[0];
  }

 private:
  CUDA_ON_CPU_LIBRARY void share(const T &input, ::cuda_on_cpu::Site caller) {
    temp_.begin(rank_);
    temp_.of[rank_] = input;
    __syncthreads(caller);
  }
};

}  // namespace cub

#pragma GCC visibility pop
