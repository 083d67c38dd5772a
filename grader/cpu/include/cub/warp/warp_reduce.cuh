// cub::WarpReduce: one value of all items of a logical warp, for its first lane. Lanes use
// shuffles, so TempStorage stays empty.
#pragma once

#include "../../cuda_on_cpu/cub_lanes.hpp"
#include "../thread/thread_operators.cuh"

#pragma GCC visibility push(default)

namespace cub {

template <class T, int width = 32, int legacy = 0>
class WarpReduce {
  using Lanes = detail::Lanes<width>;

 public:
  struct TempStorage {};
  CUDA_ON_CPU_LIBRARY WarpReduce() {}
  CUDA_ON_CPU_LIBRARY explicit WarpReduce(TempStorage &) {}

  template <class Operator>
  CUDA_ON_CPU_LIBRARY T Reduce(T input, Operator op, CUDA_ON_CPU_CALLER) {
    return Lanes(caller).reduce(input, op, width - 1);
  }
  template <class Operator>
  CUDA_ON_CPU_LIBRARY T Reduce(T input, Operator op, int valid, CUDA_ON_CPU_CALLER) {
    return Lanes(caller).reduce(input, op, valid - 1);
  }
  template <int items, class Operator>
  CUDA_ON_CPU_LIBRARY T Reduce(T (&input)[items], Operator op, CUDA_ON_CPU_CALLER) {
    return Lanes(caller).reduce(detail::fold(input, op), op, width - 1);
  }
#define CUDA_ON_CPU_WARP_REDUCE(name, op)                                \
  CUDA_ON_CPU_LIBRARY T name(T input, CUDA_ON_CPU_CALLER) {              \
    return Lanes(caller).reduce(input, op, width - 1);                   \
  }                                                                      \
  CUDA_ON_CPU_LIBRARY T name(T input, int valid, CUDA_ON_CPU_CALLER) {   \
    return Lanes(caller).reduce(input, op, valid - 1);                   \
  }                                                                      \
  template <int items>                                                   \
  CUDA_ON_CPU_LIBRARY T name(T(&input)[items], CUDA_ON_CPU_CALLER) {     \
    return Lanes(caller).reduce(detail::fold(input, op), op, width - 1); \
  }
  CUDA_ON_CPU_WARP_REDUCE(Sum, detail::Plus())
  CUDA_ON_CPU_WARP_REDUCE(Max, ::cub::Max())
  CUDA_ON_CPU_WARP_REDUCE(Min, ::cub::Min())
#undef CUDA_ON_CPU_WARP_REDUCE

  // Segments that begin, or end, at the lanes with a flag: the first lane of each gets its value.
  template <class Flag, class Operator>
  CUDA_ON_CPU_LIBRARY T HeadSegmentedReduce(T input, Flag head, Operator op, CUDA_ON_CPU_CALLER) {
    const Lanes lanes(caller);
    return lanes.reduce(input, op, lanes.next_flag(head, lanes.lane + 1) - 1);
  }
  template <class Flag, class Operator>
  CUDA_ON_CPU_LIBRARY T TailSegmentedReduce(T input, Flag tail, Operator op, CUDA_ON_CPU_CALLER) {
    const Lanes lanes(caller);
    const int last = lanes.next_flag(tail, lanes.lane);
    return lanes.reduce(input, op, last < width ? last : width - 1);
  }
  template <class Flag>
  CUDA_ON_CPU_LIBRARY T HeadSegmentedSum(T input, Flag head, CUDA_ON_CPU_CALLER) {
    return HeadSegmentedReduce(input, head, detail::Plus(), caller);
  }
  template <class Flag>
  CUDA_ON_CPU_LIBRARY T TailSegmentedSum(T input, Flag tail, CUDA_ON_CPU_CALLER) {
    return TailSegmentedReduce(input, tail, detail::Plus(), caller);
  }
};

}  // namespace cub

#pragma GCC visibility pop
