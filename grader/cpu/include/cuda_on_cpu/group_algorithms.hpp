// Cooperative groups: reduce, scans and copies.
#pragma once

#include <cstddef>
#include <limits>
#include <utility>

#include "group_partition.hpp"

#pragma GCC visibility push(default)

namespace cooperative_groups {

#define CUDA_ON_CPU_OPERATION(name, expression, identity)               \
  template <class T>                                                    \
  struct name {                                                         \
    T operator()(const T &a, const T &b) const { return (expression); } \
    static constexpr T neutral() { return static_cast<T>(identity); }   \
  };
CUDA_ON_CPU_OPERATION(plus, a + b, 0)
CUDA_ON_CPU_OPERATION(less, b < a ? b : a, std::numeric_limits<T>::max())
CUDA_ON_CPU_OPERATION(greater, a < b ? b : a, std::numeric_limits<T>::lowest())
CUDA_ON_CPU_OPERATION(bit_and, a &b, ~T{})
CUDA_ON_CPU_OPERATION(bit_or, a | b, 0)
CUDA_ON_CPU_OPERATION(bit_xor, a ^ b, 0)
#undef CUDA_ON_CPU_OPERATION

// A tree from the last ranks to rank 0. All threads receive the result of rank 0.
template <class Group, class T, class Operation>
T reduce(const Group &group, T value, Operation operation, CUDA_ON_CPU_CALLER) {
  const unsigned rank = group.thread_rank(), size = group.size();
  for (unsigned distance = std::bit_ceil(size) / 2; distance > 0; distance /= 2) {
    const T other = group.shfl_down(value, distance, caller);
    if (rank + distance < size) value = operation(value, other);
  }
  return group.shfl(value, 0, caller);
}

template <class Group, class T, class Operation>
T inclusive_scan(const Group &group, T value, Operation operation, CUDA_ON_CPU_CALLER) {
  for (unsigned distance = 1; distance < group.size(); distance *= 2) {
    const T other = group.shfl_up(value, distance, caller);
    if (group.thread_rank() >= distance) value = operation(other, value);
  }
  return value;
}
template <class Group, class T>
T inclusive_scan(const Group &group, T value, CUDA_ON_CPU_CALLER) {
  return inclusive_scan(group, value, plus<T>(), caller);
}

// Rank 0 gets the neutral element: 0 for a sum, T{} for an operation that the program defines.
template <class Group, class T, class Operation>
T exclusive_scan(const Group &group, T value, Operation operation, CUDA_ON_CPU_CALLER) {
  const T before = group.shfl_up(inclusive_scan(group, value, operation, caller), 1, caller);
  if (group.thread_rank() != 0) return before;
  if constexpr (requires { Operation::neutral(); })
    return Operation::neutral();
  else
    return T{};
}
template <class Group, class T>
T exclusive_scan(const Group &group, T value, CUDA_ON_CPU_CALLER) {
  return exclusive_scan(group, value, plus<T>(), caller);
}

// Each thread copies its share at once; the others may read it after wait(). Copying element by
// element as T keeps the accesses visible to a checker.
template <class Group, class T>
CUDA_ON_CPU_INLINE void memcpy_async(const Group &group, T *to, const T *from, std::size_t bytes) {
  const std::size_t count = bytes / sizeof(T), done = count * sizeof(T);
  for (std::size_t i = group.thread_rank(); i < count; i += group.size()) to[i] = from[i];
  if (group.thread_rank() == 0)
    __builtin_memcpy(reinterpret_cast<char *>(to) + done,
                     reinterpret_cast<const char *>(from) + done, bytes - done);
  ::cuda_on_cpu::copy_step(::cuda_on_cpu::CopyStep::begun, to, bytes);
  ::cuda_on_cpu::copy_step(::cuda_on_cpu::CopyStep::committed, nullptr, 0);
}
template <class Group>
CUDA_ON_CPU_INLINE void memcpy_async(const Group &group, void *to, const void *from,
                                     std::size_t bytes) {
  memcpy_async(group, static_cast<char *>(to), static_cast<const char *>(from), bytes);
}
// All copies but the last `Stages` that the group has asked for.
template <unsigned Stages, class Group>
void wait_prior(const Group &group, CUDA_ON_CPU_CALLER) {
  group.sync(caller);
  ::cuda_on_cpu::copy_step(::cuda_on_cpu::CopyStep::waited, nullptr, Stages);
}
template <class Group>
void wait(const Group &group, CUDA_ON_CPU_CALLER) {
  wait_prior<0>(group, caller);
}

}  // namespace cooperative_groups

#pragma GCC visibility pop
