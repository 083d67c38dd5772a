// cub::BlockRadixSort: the keys of a block in the order of some of their bits, perhaps with values.
#pragma once

#include "../../cuda_on_cpu/cub_block_sort.hpp"
#include "../../cuda_on_cpu/cub_keys.hpp"
#include "block_scan.cuh"

#pragma GCC visibility push(default)

namespace cub {

template <class Key, int X, int items, class Value = NullType, int radix_bits = 4,
          bool memoize_outer_scan = true, BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS,
          cudaSharedMemConfig = cudaSharedMemBankSizeFourByte, int Y = 1, int Z = 1, int legacy = 0>
class BlockRadixSort {
  using Sorter = detail::BlockSort<Key, Value, X * Y * Z, items>;

 public:
  struct TempStorage : Sorter::TempStorage {};
  CUDA_ON_CPU_CUB_BLOCK(BlockRadixSort, X, Y, Z)

#define CUDA_ON_CPU_BLOCK_SORT(name, descending, striped)                                     \
  CUDA_ON_CPU_LIBRARY void name(Key(&keys)[items], int begin_bit = 0,                         \
                                int end_bit = sizeof(Key) * 8, CUDA_ON_CPU_CALLER) {          \
    Value none[items];                                                                        \
    sort<descending, striped>(keys, none, begin_bit, end_bit, caller);                        \
  }                                                                                           \
  template <class V>                                                                          \
  requires(!std::is_same_v<V, NullType>) CUDA_ON_CPU_LIBRARY void name(                       \
      Key(&keys)[items], V(&values)[items], int begin_bit = 0, int end_bit = sizeof(Key) * 8, \
      CUDA_ON_CPU_CALLER) {                                                                   \
    sort<descending, striped>(keys, values, begin_bit, end_bit, caller);                      \
  }
  CUDA_ON_CPU_BLOCK_SORT(Sort, false, false)
  CUDA_ON_CPU_BLOCK_SORT(SortDescending, true, false)
  CUDA_ON_CPU_BLOCK_SORT(SortBlockedToStriped, false, true)
  CUDA_ON_CPU_BLOCK_SORT(SortDescendingBlockedToStriped, true, true)
#undef CUDA_ON_CPU_BLOCK_SORT

 private:
  template <bool descending, bool striped>
  CUDA_ON_CPU_LIBRARY void sort(Key (&keys)[items], Value (&values)[items], int begin_bit,
                                int end_bit, ::cuda_on_cpu::Site caller) {
    Sorter sorter{temp_, rank_, caller};
    sorter.sort(keys, values, detail::ByBits<descending>{begin_bit, end_bit});
    if constexpr (striped) sorter.to_striped(keys, values);
  }
};

}  // namespace cub

#pragma GCC visibility pop
