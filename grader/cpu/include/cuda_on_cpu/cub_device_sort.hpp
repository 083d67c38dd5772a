// The sort of cub's functions for the whole device: runs of neighbours are merged, from one buffer
// to another and back. Items that are equal keep their order.
#pragma once

#include "cub_device.hpp"

#pragma GCC visibility push(default)

namespace cub::detail {

// Keys and the values that belong to them; `values` of type NullType * are none.
template <class Keys, class Values>
struct Items {
  Keys keys;
  Values values;
  template <class Other>
  void take(long long to, const Other &from, long long i) {
    keys[to] = from.keys[i];
    if constexpr (!std::is_same_v<Values, NullType *>) values[to] = from.values[i];
  }
};

template <class Two, class Less>
void merge(Two &from, Two &to, long long begin, long long middle, long long end, Less &less) {
  long long left = begin, right = middle;
  for (long long i = begin; i < end; ++i) {
    const bool takes_left =
        right == end || (left < middle && !less(from.keys[right], from.keys[left]));
    to.take(i, from, takes_left ? left++ : right++);
  }
}

// From `in` to `out`; `spare` is as large as `out`, and may be the memory of `in`.
template <class In, class Two, class Less>
void sort_range(In in, Two out, Two spare, long long begin, long long end, Less &less) {
  for (long long i = begin; i < end; ++i) out.take(i, in, i);
  bool is_in_spare = false;
  for (long long width = 1; width < end - begin; width *= 2, is_in_spare = !is_in_spare) {
    Two &from = is_in_spare ? spare : out, &to = is_in_spare ? out : spare;
    for (long long first = begin; first < end; first += 2 * width)
      merge(from, to, first, first + width < end ? first + width : end,
            first + 2 * width < end ? first + 2 * width : end, less);
  }
  if (!is_in_spare) return;
  for (long long i = begin; i < end; ++i) out.take(i, spare, i);
}

// One segment: all items.
struct WholeRange {
  struct Number {
    long long value;
    long long operator[](long long) const { return value; }
  };
  long long segments = 1;
  Number begins, ends;
  explicit WholeRange(long long n) : begins{0}, ends{n} {}
};
template <class Begins, class Ends>
struct Segments {
  long long segments;
  Begins begins;
  Ends ends;
};

template <class Two>
std::size_t bytes_for(long long n) {
  using Key = std::remove_reference_t<decltype(*std::declval<Two>().keys)>;
  using Value = std::remove_reference_t<decltype(*std::declval<Two>().values)>;
  return rounded_up(n * sizeof(Key)) + n * sizeof(Value);
}

// `spare` comes from the temporary storage.
template <class In, class Two, class Ranges, class Less>
cudaError_t sort(const char *name, void *storage, std::size_t &bytes, In in, Two out, long long n,
                 Ranges ranges, Less less, cudaStream_t stream) {
  return run(
      name, storage, bytes, bytes_for<Two>(n), stream,
      [=](unsigned char *room) mutable {
        Two spare = out;
        spare.keys = reinterpret_cast<decltype(spare.keys)>(room);
        const std::size_t bytes_of_keys = rounded_up(n * sizeof *spare.keys);
        spare.values = reinterpret_cast<decltype(spare.values)>(room + bytes_of_keys);
        for (long long i = 0; i < ranges.segments; ++i)
          sort_range(in, out, spare, ranges.begins[i], ranges.ends[i], less);
      },
      n > 0);
}

// The result comes to the other buffers.
template <class Key, class Value, class Ranges, class Less>
cudaError_t sort_buffers(const char *name, void *storage, std::size_t &bytes,
                         DoubleBuffer<Key> &keys, DoubleBuffer<Value> &values, long long n,
                         Ranges ranges, Less less, cudaStream_t stream) {
  using Two = Items<Key *, Value *>;
  const Two in{keys.Current(), values.Current()}, out{keys.Alternate(), values.Alternate()};
  const cudaError_t error = run(
      name, storage, bytes, 0, stream,
      [=](unsigned char *) mutable {
        for (long long i = 0; i < ranges.segments; ++i)
          sort_range(in, out, in, ranges.begins[i], ranges.ends[i], less);
      },
      n > 0);
  if (!storage || error != cudaSuccess) return error;
  keys.selector ^= 1;
  values.selector ^= 1;
  return cudaSuccess;
}

}  // namespace cub::detail

#pragma GCC visibility pop
