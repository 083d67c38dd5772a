// cub::BlockScan: for each item of a block what all items before it make together.
#pragma once

#include "../thread/thread_operators.cuh"

#pragma GCC visibility push(default)

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

// After input and output a scan takes what comes before the block's first item, or not; then the
// operator, if it is no sum; and last a T for the block's own result, or a function: the first warp
// calls it with that result, and it says what comes before the block.
template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1,
          int legacy = 0>
class BlockScan {
  static constexpr int kThreads = X * Y * Z;
  struct Nothing {};

 public:
  struct TempStorage : detail::Storage {
    detail::Room<T, kThreads> until;  // all items of the threads up to this one
    detail::Room<T, 1> before;        // the block
  };
  CUDA_ON_CPU_CUB_BLOCK(BlockScan, X, Y, Z)

  template <class In, class Out>
  CUDA_ON_CPU_LIBRARY void InclusiveSum(const In &in, Out &out, CUDA_ON_CPU_CALLER) {
    Nothing nothing;
    scan<true>(in, out, detail::Plus(), nothing, nothing, caller);
  }
  template <class In, class Out, class More>
  CUDA_ON_CPU_LIBRARY void InclusiveSum(const In &in, Out &out, More &more, CUDA_ON_CPU_CALLER) {
    Nothing nothing;
    scan<true>(in, out, detail::Plus(), nothing, more, caller);
  }
  template <class In, class Out>
  CUDA_ON_CPU_LIBRARY void ExclusiveSum(const In &in, Out &out, CUDA_ON_CPU_CALLER) {
    Nothing nothing;
    scan<false>(in, out, detail::Plus(), T{}, nothing, caller);
  }
  template <class In, class Out, class More>
  CUDA_ON_CPU_LIBRARY void ExclusiveSum(const In &in, Out &out, More &more, CUDA_ON_CPU_CALLER) {
    scan<false>(in, out, detail::Plus(), T{}, more, caller);
  }

#define CUDA_ON_CPU_SCAN(name, with_own)                                                      \
  template <class In, class Out, class Operator>                                              \
  CUDA_ON_CPU_LIBRARY void name(const In &in, Out &out, Operator op, CUDA_ON_CPU_CALLER) {    \
    Nothing nothing;                                                                          \
    scan<with_own>(in, out, op, nothing, nothing, caller);                                    \
  }                                                                                           \
  template <class In, class Out, class First, class Second>                                   \
  CUDA_ON_CPU_LIBRARY void name(const In &in, Out &out, First first, Second &&second,         \
                                CUDA_ON_CPU_CALLER) {                                         \
    Nothing nothing;                                                                          \
    if constexpr (std::is_invocable_v<First &, T, T>)                                         \
      scan<with_own>(in, out, first, nothing, second, caller);                                \
    else                                                                                      \
      scan<with_own>(in, out, second, static_cast<T>(first), nothing, caller);                \
  }                                                                                           \
  template <class In, class Out, class Initial, class Operator>                               \
  CUDA_ON_CPU_LIBRARY void name(const In &in, Out &out, Initial initial, Operator op, T &all, \
                                CUDA_ON_CPU_CALLER) {                                         \
    scan<with_own>(in, out, op, static_cast<T>(initial), all, caller);                        \
  }
  CUDA_ON_CPU_SCAN(InclusiveScan, true)
  CUDA_ON_CPU_SCAN(ExclusiveScan, false)
#undef CUDA_ON_CPU_SCAN

 private:
  template <class Items>
  static constexpr int kItems = std::is_array_v<Items> ? std::extent_v<Items> : 1;
  template <class Items>
  CUDA_ON_CPU_LIBRARY static decltype(auto) item(Items &items, int i) {
    if constexpr (std::is_array_v<Items>)
      return (items[i]);
    else
      return (items);
  }

  // The block's own result comes to `more` if that is a T.
  template <bool with_own, class In, class Out, class Operator, class Initial, class More>
  CUDA_ON_CPU_LIBRARY void scan(const In &in, Out &out, Operator op, const Initial &initial,
                                More &more, ::cuda_on_cpu::Site caller) {
    temp_.begin(rank_);
    T own = item(in, 0);
    for (int i = 1; i < kItems<In>; ++i) own = op(own, item(in, i));
    share(own, op, caller);
    bool known = rank_ > 0;  // does anything come before the next item?
    T before = known ? temp_.until[rank_ - 1] : own;
    if constexpr (std::is_same_v<Initial, T>) {
      before = known ? op(initial, before) : initial;
      known = true;
    }
    if constexpr (std::is_same_v<More, T>) {
      more = temp_.until[kThreads - 1];
    } else if constexpr (!std::is_same_v<More, Nothing>) {
      const T asked = ask(more, caller);
      before = rank_ > 0 ? op(asked, temp_.until[rank_ - 1]) : asked;
      known = true;
    }
    temp_.end();
    for (int i = 0; i < kItems<In>; ++i) {
      const T mine = item(in, i), next = known ? op(before, mine) : mine;
      item(out, i) = with_own ? next : before;
      before = next;
      known = true;
    }
  }

  template <class Operator>
  CUDA_ON_CPU_LIBRARY void share(const T &own, Operator op, ::cuda_on_cpu::Site caller) {
    temp_.until[rank_] = own;
    __syncthreads(caller);
    if (rank_ == 0)
      for (int i = 1; i < kThreads; ++i) temp_.until[i] = op(temp_.until[i - 1], temp_.until[i]);
    __syncthreads(caller);
  }

  template <class Callback>
  CUDA_ON_CPU_LIBRARY T ask(Callback &callback, ::cuda_on_cpu::Site caller) {
    if (rank_ < 32) {
      const T before = callback(T(temp_.until[kThreads - 1]));
      if (rank_ == 0) temp_.before[0] = before;
    }
    __syncthreads(caller);
    return temp_.before[0];
  }
};

}  // namespace cub

#pragma GCC visibility pop
