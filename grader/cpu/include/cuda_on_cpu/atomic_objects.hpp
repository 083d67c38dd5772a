// cuda::atomic and cuda::atomic_ref, by the compiler's own atomics: a checker sees them with their
// order.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include "async_barrier.hpp"

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

struct WholeDevice {};
template <::cuda::thread_scope Scope>
using Reach = std::conditional_t<Scope == ::cuda::thread_scope_block, BlockScope, WholeDevice>;

/// What both classes have. `Object` says where the value is: `T *place() const`.
template <class Object, class T, ::cuda::thread_scope Scope>
class AtomicFunctions {
 public:
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8 && !(sizeof(T) & (sizeof(T) - 1)),
                "CUDA on the CPU has atomics of 1, 2, 4 and 8 bytes");
  using value_type = T;
  using Order = ::std::memory_order;
  static constexpr Order kAll = ::std::memory_order_seq_cst;

  CUDA_ON_CPU_INLINE T load(Order order = kAll) const {
    [[maybe_unused]] const Reach<Scope> reach;
    T value;
    __atomic_load(place(), &value, int(order));
    return value;
  }
  CUDA_ON_CPU_INLINE void store(T value, Order order = kAll) const {
    [[maybe_unused]] const Reach<Scope> reach;
    __atomic_store(place(), &value, int(order));
  }
  CUDA_ON_CPU_INLINE T exchange(T value, Order order = kAll) const {
    give_way(place());
    [[maybe_unused]] const Reach<Scope> reach;
    T before;
    __atomic_exchange(place(), &value, &before, int(order));
    return before;
  }
  CUDA_ON_CPU_INLINE bool compare_exchange_strong(T &expected, T value, Order order, Order) const {
    give_way(place());
    return swap_if(expected, value, order);
  }
  CUDA_ON_CPU_INLINE bool compare_exchange_strong(T &expected, T value, Order order = kAll) const {
    return compare_exchange_strong(expected, value, order, order);
  }
  CUDA_ON_CPU_INLINE bool compare_exchange_weak(T &expected, T value, Order order, Order) const {
    return compare_exchange_strong(expected, value, order, order);
  }
  CUDA_ON_CPU_INLINE bool compare_exchange_weak(T &expected, T value, Order order = kAll) const {
    return compare_exchange_strong(expected, value, order, order);
  }

#define CUDA_ON_CPU_FETCH(name, condition, expression)                                       \
  CUDA_ON_CPU_INLINE T name(T value, Order order = kAll) const requires(condition) {         \
    return change([value](T old) -> T { return static_cast<T>(expression); }, order);        \
  }
  // In one step: a checker would take the first of two for a look at the variable.
#define CUDA_ON_CPU_FETCH_INTEGER(name)                                                      \
  CUDA_ON_CPU_INLINE T name(T value, Order order = kAll) const requires(std::integral<T>) {  \
    [[maybe_unused]] const Reach<Scope> reach;                                               \
    return __atomic_##name(place(), value, int(order));                                      \
  }
  CUDA_ON_CPU_FETCH_INTEGER(fetch_add)
  CUDA_ON_CPU_FETCH_INTEGER(fetch_sub)
  CUDA_ON_CPU_FETCH_INTEGER(fetch_and)
  CUDA_ON_CPU_FETCH_INTEGER(fetch_or)
  CUDA_ON_CPU_FETCH_INTEGER(fetch_xor)
  CUDA_ON_CPU_FETCH(fetch_add, std::floating_point<T>, old + value)
  CUDA_ON_CPU_FETCH(fetch_sub, std::floating_point<T>, old - value)
  CUDA_ON_CPU_FETCH(fetch_min, std::is_arithmetic_v<T>, value < old ? value : old)
  CUDA_ON_CPU_FETCH(fetch_max, std::is_arithmetic_v<T>, old < value ? value : old)
#undef CUDA_ON_CPU_FETCH
#undef CUDA_ON_CPU_FETCH_INTEGER

  CUDA_ON_CPU_INLINE void wait(T old, Order order = kAll) const {
    while (load(order) == old) spin();
  }
  void notify_one() const {}
  void notify_all() const {}

  CUDA_ON_CPU_INLINE operator T() const { return load(); }
  CUDA_ON_CPU_INLINE T operator=(T value) const { return store(value), value; }
  CUDA_ON_CPU_INLINE T operator++() const { return fetch_add(1) + 1; }
  CUDA_ON_CPU_INLINE T operator--() const { return fetch_sub(1) - 1; }
  CUDA_ON_CPU_INLINE T operator++(int) const { return fetch_add(1); }
  CUDA_ON_CPU_INLINE T operator--(int) const { return fetch_sub(1); }
  CUDA_ON_CPU_INLINE T operator+=(T value) const { return fetch_add(value) + value; }
  CUDA_ON_CPU_INLINE T operator-=(T value) const { return fetch_sub(value) - value; }
  CUDA_ON_CPU_INLINE T operator&=(T value) const { return fetch_and(value) & value; }
  CUDA_ON_CPU_INLINE T operator|=(T value) const { return fetch_or(value) | value; }
  CUDA_ON_CPU_INLINE T operator^=(T value) const { return fetch_xor(value) ^ value; }

 private:
  CUDA_ON_CPU_INLINE T *place() const { return static_cast<const Object *>(this)->place(); }
  CUDA_ON_CPU_INLINE bool swap_if(T &expected, T value, Order order) const {
    [[maybe_unused]] const Reach<Scope> reach;
    return __atomic_compare_exchange(place(), &expected, &value, false, int(order),
                                     __ATOMIC_RELAXED);
  }
  template <class Change>
  CUDA_ON_CPU_INLINE T change(Change to, Order order) const {
    T before = load(::std::memory_order_relaxed);
    while (!swap_if(before, to(before), order)) {}
    return before;
  }
};

}  // namespace cuda_on_cpu

namespace cuda {

using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;
namespace std {
using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;
}  // namespace std

template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref : public ::cuda_on_cpu::AtomicFunctions<atomic_ref<T, Scope>, T, Scope> {
 public:
  CUDA_ON_CPU_INLINE explicit atomic_ref(T &value) : value_(&value) {}
  using ::cuda_on_cpu::AtomicFunctions<atomic_ref<T, Scope>, T, Scope>::operator=;
  CUDA_ON_CPU_INLINE T *place() const { return value_; }

 private:
  T *value_;
};

template <class T, thread_scope Scope = thread_scope_system>
class atomic : public ::cuda_on_cpu::AtomicFunctions<atomic<T, Scope>, T, Scope> {
 public:
  atomic() = default;  // a __shared__ variable has no constructor
  CUDA_ON_CPU_INLINE constexpr atomic(T value) : value_(value) {}
  atomic(const atomic &) = delete;
  using ::cuda_on_cpu::AtomicFunctions<atomic<T, Scope>, T, Scope>::operator=;
  CUDA_ON_CPU_INLINE T *place() const { return const_cast<T *>(&value_); }

 private:
  T value_;
};

CUDA_ON_CPU_INLINE void atomic_thread_fence(memory_order order,
                                           thread_scope scope = thread_scope_system) {
  if (order == memory_order_relaxed) return;
  if (scope == thread_scope_block) __threadfence_block();
  else __threadfence();
}

}  // namespace cuda

#pragma GCC visibility pop
