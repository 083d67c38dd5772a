// What cub's functions for the whole device share: a kernel of one thread does all of the work.
#pragma once

#include <cstdint>
#include <limits>

#include "../cub/util_type.cuh"

#pragma GCC visibility push(default)

namespace cub::detail {

constexpr std::size_t kApart = 256;  // bytes; parts of the temporary storage begin at a multiple

constexpr std::size_t rounded_up(std::size_t bytes) {
  return (bytes + kApart - 1) / kApart * kApart;
}

// Without storage a call only says how many bytes it wants. Otherwise the kernel calls `body` with
// `wanted` bytes of it, if there is any work.
template <class Body>
cudaError_t run(const char *name, void *storage, std::size_t &bytes, std::size_t wanted,
                cudaStream_t stream, Body body, bool is_work = true) {
  const std::size_t needed = wanted > 0 ? rounded_up(wanted) + kApart - 1 : 1;
  if (!storage) {
    bytes = needed;
    return cudaSuccess;
  }
  if (bytes < needed) return ::cuda_on_cpu::too_few_bytes(bytes, needed);
  const std::uintptr_t first = rounded_up(reinterpret_cast<std::uintptr_t>(storage));
  return ::cuda_on_cpu::for_each(name, stream, is_work ? 1 : 0, [=](long long) mutable {
    body(reinterpret_cast<unsigned char *>(first));
  });
}

// The first `n` items, pair by pair: a sum of many floats stays as exact as a GPU's.
template <class Result, class Input, class Operator>
Result fold_range(Input input, long long begin, long long end, Operator &op) {
  if (end - begin > 128) {
    const long long middle = begin + (end - begin) / 2;
    const Result left = fold_range<Result>(input, begin, middle, op);
    return op(left, fold_range<Result>(input, middle, end, op));
  }
  Result result = input[begin];
  for (long long i = begin + 1; i < end; ++i) result = op(result, input[i]);
  return result;
}

template <class Operator, class Initial, class Input>
using Accumulator = std::decay_t<std::invoke_result_t<Operator &, Initial, ValueOf<Input>>>;

template <class Input, class Operator, class Initial>
auto reduce_range(Input input, long long begin, long long end, Operator &op, Initial initial) {
  using Result = Accumulator<Operator, Initial, Input>;
  const Result first = static_cast<Result>(initial);
  if (begin >= end) return first;
  return static_cast<Result>(op(first, fold_range<Result>(input, begin, end, op)));
}

template <class Input>
constexpr ValueOf<Input> highest() {
  return std::numeric_limits<ValueOf<Input>>::max();
}
template <class Input>
constexpr ValueOf<Input> lowest() {
  return std::numeric_limits<ValueOf<Input>>::lowest();
}

// The place of the least or greatest item, of equal ones the first. There is at least one.
template <class Input, class Before>
long long place_of_first(Input input, long long begin, long long end, Before before) {
  long long best = begin;
  for (long long i = begin + 1; i < end; ++i)
    if (before(input[i], input[best])) best = i;
  return best;
}
struct Less {
  template <class T>
  bool operator()(const T &a, const T &b) const {
    return a < b;
  }
};
struct Greater {
  template <class T>
  bool operator()(const T &a, const T &b) const {
    return b < a;
  }
};

}  // namespace cub::detail

#pragma GCC visibility pop
