// cub::DeviceSegmentedRadixSort and cub::DeviceSegmentedSort: each segment's keys in order, perhaps
// with values.
#pragma once

#include "device_radix_sort.cuh"

#pragma GCC visibility push(default)

// The last arguments are the parameters that say by which bits, if a sort has them. What is in no
// segment stays as it is in the output.
#define CUDA_ON_CPU_SEGMENTED_SORT(Self, keys_name, pairs_name, order, ...)                      \
  template <class Key, class Begins, class Ends>                                                 \
  static cudaError_t keys_name(void *storage, std::size_t &bytes, const Key *keys_in,            \
                               Key *keys_out, long long n, long long segments, Begins begins,    \
                               Ends ends, __VA_ARGS__ cudaStream_t stream = nullptr,             \
                               bool = false) {                                                   \
    using Nothing = NullType *;                                                                  \
    return detail::sort("cub::" #Self "::" #keys_name, storage, bytes,                           \
                        detail::Items<const Key *, Nothing>{keys_in, nullptr},                   \
                        detail::Items<Key *, Nothing>{keys_out, nullptr}, n,                     \
                        detail::Segments<Begins, Ends>{segments, begins, ends}, order, stream);  \
  }                                                                                              \
  template <class Key, class Value, class Begins, class Ends>                                    \
  static cudaError_t pairs_name(void *storage, std::size_t &bytes, const Key *keys_in,           \
                                Key *keys_out, const Value *values_in, Value *values_out,        \
                                long long n, long long segments, Begins begins, Ends ends,       \
                                __VA_ARGS__ cudaStream_t stream = nullptr, bool = false) {       \
    return detail::sort("cub::" #Self "::" #pairs_name, storage, bytes,                          \
                        detail::Items<const Key *, const Value *>{keys_in, values_in},           \
                        detail::Items<Key *, Value *>{keys_out, values_out}, n,                  \
                        detail::Segments<Begins, Ends>{segments, begins, ends}, order, stream);  \
  }                                                                                              \
  template <class Key, class Begins, class Ends>                                                 \
  static cudaError_t keys_name(void *storage, std::size_t &bytes, DoubleBuffer<Key> &keys,       \
                               long long n, long long segments, Begins begins, Ends ends,        \
                               __VA_ARGS__ cudaStream_t stream = nullptr, bool = false) {        \
    DoubleBuffer<NullType> nothing;                                                              \
    return detail::sort_buffers("cub::" #Self "::" #keys_name, storage, bytes, keys, nothing, n, \
                                detail::Segments<Begins, Ends>{segments, begins, ends}, order,   \
                                stream);                                                         \
  }                                                                                              \
  template <class Key, class Value, class Begins, class Ends>                                    \
  static cudaError_t pairs_name(void *storage, std::size_t &bytes, DoubleBuffer<Key> &keys,      \
                                DoubleBuffer<Value> &values, long long n, long long segments,    \
                                Begins begins, Ends ends,                                        \
                                __VA_ARGS__ cudaStream_t stream = nullptr, bool = false) {       \
    return detail::sort_buffers("cub::" #Self "::" #pairs_name, storage, bytes, keys, values, n, \
                                detail::Segments<Begins, Ends>{segments, begins, ends}, order,   \
                                stream);                                                         \
  }
#define CUDA_ON_CPU_BITS int begin_bit = 0, int end_bit = sizeof(Key) * 8,

namespace cub {

struct DeviceSegmentedRadixSort {
  CUDA_ON_CPU_SEGMENTED_SORT(DeviceSegmentedRadixSort, SortKeys, SortPairs,
                             (detail::ByBits<false>{begin_bit, end_bit}), CUDA_ON_CPU_BITS)
  CUDA_ON_CPU_SEGMENTED_SORT(DeviceSegmentedRadixSort, SortKeysDescending, SortPairsDescending,
                             (detail::ByBits<true>{begin_bit, end_bit}), CUDA_ON_CPU_BITS)
};

struct DeviceSegmentedSort {
  CUDA_ON_CPU_SEGMENTED_SORT(DeviceSegmentedSort, SortKeys, SortPairs, detail::Less(), )
  CUDA_ON_CPU_SEGMENTED_SORT(DeviceSegmentedSort, SortKeysDescending, SortPairsDescending,
                             detail::Greater(), )
  CUDA_ON_CPU_SEGMENTED_SORT(DeviceSegmentedSort, StableSortKeys, StableSortPairs, detail::Less(), )
  CUDA_ON_CPU_SEGMENTED_SORT(DeviceSegmentedSort, StableSortKeysDescending,
                             StableSortPairsDescending, detail::Greater(), )
};

}  // namespace cub
#undef CUDA_ON_CPU_BITS
#undef CUDA_ON_CPU_SEGMENTED_SORT

#pragma GCC visibility pop
