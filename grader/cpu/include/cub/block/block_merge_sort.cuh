// cub::BlockMergeSort: the keys of a block in the order of a comparison, perhaps with values.
#pragma once

#include "../../cuda_on_cpu/cub_block_sort.hpp"

#pragma GCC visibility push(default)

namespace cub {

template <class Key, int X, int items, class Value = NullType, int Y = 1, int Z = 1>
class BlockMergeSort {
  static_assert((X * Y * Z & (X * Y * Z - 1)) == 0, "the number of threads must be a power of two");
  using Sorter = detail::BlockSort<Key, Value, X * Y * Z, items>;

 public:
  struct TempStorage : Sorter::TempStorage {};
  CUDA_ON_CPU_CUB_BLOCK(BlockMergeSort, X, Y, Z)

// All keys, or those below `valid`; the others become `last`, which comes after all of them.
#define CUDA_ON_CPU_BLOCK_SORT(name)                                                            \
  template <class Less>                                                                         \
  CUDA_ON_CPU_LIBRARY void name(Key(&keys)[items], Less less, CUDA_ON_CPU_CALLER) {             \
    Value none[items];                                                                          \
    Sorter{temp_, rank_, caller}.sort(keys, none, less);                                        \
  }                                                                                             \
  template <class Less>                                                                         \
  CUDA_ON_CPU_LIBRARY void name(Key(&keys)[items], Less less, int valid, Key last,              \
                                CUDA_ON_CPU_CALLER) {                                           \
    Value none[items];                                                                          \
    fill(keys, valid, last);                                                                    \
    Sorter{temp_, rank_, caller}.sort(keys, none, less);                                        \
  }                                                                                             \
  template <class Less>                                                                         \
  CUDA_ON_CPU_LIBRARY void name(Key(&keys)[items], Value(&values)[items], Less less,            \
                                CUDA_ON_CPU_CALLER) {                                           \
    Sorter{temp_, rank_, caller}.sort(keys, values, less);                                      \
  }                                                                                             \
  template <class Less>                                                                         \
  CUDA_ON_CPU_LIBRARY void name(Key(&keys)[items], Value(&values)[items], Less less, int valid, \
                                Key last, CUDA_ON_CPU_CALLER) {                                 \
    fill(keys, valid, last);                                                                    \
    Sorter{temp_, rank_, caller}.sort(keys, values, less);                                      \
  }
  CUDA_ON_CPU_BLOCK_SORT(Sort)
  CUDA_ON_CPU_BLOCK_SORT(StableSort)
#undef CUDA_ON_CPU_BLOCK_SORT

 private:
  CUDA_ON_CPU_LIBRARY void fill(Key (&keys)[items], int valid, const Key &last) {
    for (int i = 0; i < items; ++i)
      if (rank_ * items + i >= valid) keys[i] = last;
  }
};

}  // namespace cub

#pragma GCC visibility pop
