// cub::BlockHistogram: how often each number occurs among the items of a block.
#pragma once

#include "../../cuda_on_cpu/cub.hpp"

#pragma GCC visibility push(default)

namespace cub {

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

// Both algorithms count by atomics, so TempStorage stays empty.
template <class T, int X, int items, int bins, BlockHistogramAlgorithm = BLOCK_HISTO_SORT,
          int Y = 1, int Z = 1, int legacy = 0>
class BlockHistogram {
 public:
  struct TempStorage {};
  CUDA_ON_CPU_CUB_BLOCK(BlockHistogram, X, Y, Z)

  template <class Counter>
  CUDA_ON_CPU_LIBRARY void InitHistogram(Counter (&histogram)[bins]) {
    init(histogram);
  }
  template <class Counter>
  CUDA_ON_CPU_LIBRARY void InitHistogram(Counter *histogram) {
    init(histogram);
  }
  template <class Counters>
  CUDA_ON_CPU_LIBRARY void Histogram(T (&input)[items], Counters &&histogram, CUDA_ON_CPU_CALLER) {
    init(histogram);
    __syncthreads(caller);
    composite(input, histogram);
  }
  template <class Counters>
  CUDA_ON_CPU_LIBRARY void Composite(T (&input)[items], Counters &&histogram) {
    composite(input, histogram);
  }

 private:
  template <class Counters>
  CUDA_ON_CPU_LIBRARY void init(Counters &histogram) {
    for (int i = rank_; i < bins; i += X * Y * Z) histogram[i] = 0;
  }
  template <class Counters>
  CUDA_ON_CPU_LIBRARY void composite(T (&input)[items], Counters &histogram) {
    using Counter = std::remove_reference_t<decltype(histogram[0])>;
    for (int i = 0; i < items; ++i)
      ::atomicAdd(&histogram[static_cast<int>(input[i])], static_cast<Counter>(1));
  }
};

}  // namespace cub

#pragma GCC visibility pop
