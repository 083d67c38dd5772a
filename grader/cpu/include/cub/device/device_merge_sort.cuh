// cub::DeviceMergeSort: keys in the order of a comparison, perhaps with values.
#pragma once

#include "../../cuda_on_cpu/cub_device_sort.hpp"

#pragma GCC visibility push(default)

namespace cub {

class DeviceMergeSort {
  template <class Keys, class Items, class KeysOut, class ItemsOut, class Less>
  static cudaError_t sort(const char *name, void *storage, std::size_t &bytes, Keys keys,
                          Items items, KeysOut keys_out, ItemsOut items_out, long long n, Less less,
                          cudaStream_t stream) {
    using Key = detail::ValueOf<KeysOut>;
    using Item = detail::ValueOf<ItemsOut>;
    using Two = detail::Items<Key *, Item *>;
    return detail::sort(name, storage, bytes, detail::Items<Keys, Items>{keys, items},
                        Two{address_of(keys_out), address_of(items_out)}, n, detail::WholeRange(n),
                        less, stream);
  }
  template <class T>
  static T *address_of(T *pointer) {
    return pointer;
  }
  template <class Iterator>
  static auto address_of(Iterator iterator) {
    return &*iterator;
  }

 public:
#define CUDA_ON_CPU_MERGE_SORT(keys_name, pairs_name)                                              \
  template <class Keys, class Less>                                                                \
  static cudaError_t keys_name(void *storage, std::size_t &bytes, Keys keys, long long n,          \
                               Less less, cudaStream_t stream = nullptr, bool = false) {           \
    NullType *nothing = nullptr;                                                                   \
    return sort("cub::DeviceMergeSort::" #keys_name, storage, bytes, keys, nothing, keys, nothing, \
                n, less, stream);                                                                  \
  }                                                                                                \
  template <class Keys, class Items, class Less>                                                   \
  static cudaError_t pairs_name(void *storage, std::size_t &bytes, Keys keys, Items items,         \
                                long long n, Less less, cudaStream_t stream = nullptr,             \
                                bool = false) {                                                    \
    return sort("cub::DeviceMergeSort::" #pairs_name, storage, bytes, keys, items, keys, items, n, \
                less, stream);                                                                     \
  }
  CUDA_ON_CPU_MERGE_SORT(SortKeys, SortPairs)
  CUDA_ON_CPU_MERGE_SORT(StableSortKeys, StableSortPairs)
#undef CUDA_ON_CPU_MERGE_SORT
  template <class Keys, class KeysOut, class Less>
  static cudaError_t SortKeysCopy(void *storage, std::size_t &bytes, Keys keys, KeysOut out,
                                  long long n, Less less, cudaStream_t stream = nullptr) {
    NullType *nothing = nullptr;
    return sort("cub::DeviceMergeSort::SortKeysCopy", storage, bytes, keys, nothing, out, nothing,
                n, less, stream);
  }
  template <class Keys, class Items, class KeysOut, class ItemsOut, class Less>
  static cudaError_t SortPairsCopy(void *storage, std::size_t &bytes, Keys keys, Items items,
                                   KeysOut keys_out, ItemsOut items_out, long long n, Less less,
                                   cudaStream_t stream = nullptr) {
    return sort("cub::DeviceMergeSort::SortPairsCopy", storage, bytes, keys, items, keys_out,
                items_out, n, less, stream);
  }
};

}  // namespace cub

#pragma GCC visibility pop
