// The sort of a block's items: each thread sorts its own, and then runs of neighbours are merged.
// Items that are equal keep their order.
#pragma once

#include "cub.hpp"

#pragma GCC visibility push(default)

namespace cub::detail {

template <class Key, class Value, int threads, int items>
struct BlockSort {
  static constexpr int kAll = threads * items;
  static constexpr bool kHasValues = !std::is_same_v<Value, NullType>;
  struct TempStorage : Storage {
    union {
      Room<Key, kAll> keys;
      Room<Value, kAll> values;
    };
  };
  TempStorage &temp;
  const int rank;
  ::cuda_on_cpu::Site caller;

  template <class Less>
  CUDA_ON_CPU_LIBRARY void sort(Key (&keys)[items], Value (&values)[items], Less less) {
    temp.begin(rank);
    sort_own(keys, values, less);
    for (int width = items; width < kAll; width *= 2) {
      put(temp.keys, keys);
      __syncthreads(caller);
      int place[items];
      for (int i = 0; i < items; ++i) place[i] = place_of(keys[i], i, width, less);
      __syncthreads(caller);
      move(temp.keys, keys, place);
      if constexpr (kHasValues) move(temp.values, values, place);
    }
    __syncthreads(caller);
    temp.end();
  }

  // From neighbours in each thread to a block's width apart.
  CUDA_ON_CPU_LIBRARY void to_striped(Key (&keys)[items], Value (&values)[items]) {
    int place[items];
    for (int i = 0; i < items; ++i) {
      const int index = rank * items + i;
      place[i] = index % threads * items + index / threads;
    }
    move(temp.keys, keys, place);
    if constexpr (kHasValues) move(temp.values, values, place);
    temp.end();
  }

 private:
  template <class Less>
  CUDA_ON_CPU_LIBRARY static void sort_own(Key (&keys)[items], Value (&values)[items], Less less) {
    for (int i = 1; i < items; ++i) {
      const Key key = keys[i];
      const Value value = values[i];
      int to = i;
      for (; to > 0 && less(key, keys[to - 1]); --to) {
        keys[to] = keys[to - 1];
        values[to] = values[to - 1];
      }
      keys[to] = key;
      values[to] = value;
    }
  }

  template <class T>
  CUDA_ON_CPU_LIBRARY void put(Room<T, kAll> &room, const T (&own)[items]) {
    for (int i = 0; i < items; ++i) room[rank * items + i] = own[i];
  }
  // Nobody uses the room before, and nobody but its owner reads a place of it after.
  template <class T>
  CUDA_ON_CPU_LIBRARY void move(Room<T, kAll> &room, T (&own)[items], const int (&place)[items]) {
    for (int i = 0; i < items; ++i) room[place[i]] = own[i];
    __syncthreads(caller);
    for (int i = 0; i < items; ++i) own[i] = room[rank * items + i];
    if constexpr (kHasValues) __syncthreads(caller);  // the room becomes that of the other type
  }

  // Where item i of this thread is when its run of `width` has been merged with the other one.
  template <class Less>
  CUDA_ON_CPU_LIBRARY int place_of(const Key &key, int i, int width, Less less) {
    const int index = rank * items + i, run = index / width * width;
    const bool is_left = run / width % 2 == 0;
    const int other = is_left ? run + width : run - width;
    int low = other < kAll ? other : kAll, high = other + width < kAll ? other + width : kAll;
    const int begin = low;
    while (low < high) {
      const int middle = (low + high) / 2;
      const bool comes_first =
          is_left ? less(temp.keys[middle], key) : !less(key, temp.keys[middle]);
      (comes_first ? low : high) = comes_first ? middle + 1 : middle;
    }
    return (is_left ? index : index - width) + low - begin;
  }
};

}  // namespace cub::detail

#pragma GCC visibility pop
