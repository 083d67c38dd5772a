// cub::DeviceRadixSort: keys in the order of some of their bits, perhaps with values.
#pragma once

#include "../../cuda_on_cpu/cub_device_sort.hpp"
#include "../../cuda_on_cpu/cub_keys.hpp"

#pragma GCC visibility push(default)

namespace cub {

struct DeviceRadixSort {
#define CUDA_ON_CPU_RADIX_SORT(keys_name, pairs_name, descending)                              \
  template <class Key>                                                                         \
  static cudaError_t keys_name(void *storage, std::size_t &bytes, const Key *keys_in,          \
                               Key *keys_out, long long n, int begin_bit = 0,                  \
                               int end_bit = sizeof(Key) * 8, cudaStream_t stream = nullptr,   \
                               bool = false) {                                                 \
    using Nothing = NullType *;                                                                \
    return detail::sort("cub::DeviceRadixSort::" #keys_name, storage, bytes,                   \
                        detail::Items<const Key *, Nothing>{keys_in, nullptr},                 \
                        detail::Items<Key *, Nothing>{keys_out, nullptr}, n,                   \
                        detail::WholeRange(n), detail::ByBits<descending>{begin_bit, end_bit}, \
                        stream);                                                               \
  }                                                                                            \
  template <class Key, class Value>                                                            \
  static cudaError_t pairs_name(void *storage, std::size_t &bytes, const Key *keys_in,         \
                                Key *keys_out, const Value *values_in, Value *values_out,      \
                                long long n, int begin_bit = 0, int end_bit = sizeof(Key) * 8, \
                                cudaStream_t stream = nullptr, bool = false) {                 \
    return detail::sort("cub::DeviceRadixSort::" #pairs_name, storage, bytes,                  \
                        detail::Items<const Key *, const Value *>{keys_in, values_in},         \
                        detail::Items<Key *, Value *>{keys_out, values_out}, n,                \
                        detail::WholeRange(n), detail::ByBits<descending>{begin_bit, end_bit}, \
                        stream);                                                               \
  }                                                                                            \
  template <class Key>                                                                         \
  static cudaError_t keys_name(void *storage, std::size_t &bytes, DoubleBuffer<Key> &keys,     \
                               long long n, int begin_bit = 0, int end_bit = sizeof(Key) * 8,  \
                               cudaStream_t stream = nullptr, bool = false) {                  \
    DoubleBuffer<NullType> nothing;                                                            \
    return detail::sort_buffers("cub::DeviceRadixSort::" #keys_name, storage, bytes, keys,     \
                                nothing, n, detail::WholeRange(n),                             \
                                detail::ByBits<descending>{begin_bit, end_bit}, stream);       \
  }                                                                                            \
  template <class Key, class Value>                                                            \
  static cudaError_t pairs_name(void *storage, std::size_t &bytes, DoubleBuffer<Key> &keys,    \
                                DoubleBuffer<Value> &values, long long n, int begin_bit = 0,   \
                                int end_bit = sizeof(Key) * 8, cudaStream_t stream = nullptr,  \
                                bool = false) {                                                \
    return detail::sort_buffers("cub::DeviceRadixSort::" #pairs_name, storage, bytes, keys,    \
                                values, n, detail::WholeRange(n),                              \
                                detail::ByBits<descending>{begin_bit, end_bit}, stream);       \
  }
  CUDA_ON_CPU_RADIX_SORT(SortKeys, SortPairs, false)
  CUDA_ON_CPU_RADIX_SORT(SortKeysDescending, SortPairsDescending, true)
#undef CUDA_ON_CPU_RADIX_SORT
};

}  // namespace cub

#pragma GCC visibility pop
