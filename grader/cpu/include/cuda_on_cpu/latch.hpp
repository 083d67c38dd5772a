// cuda::latch: threads count it down once, and threads wait until nothing is left. Who counts down
// publishes what it has done before; who has waited may read it.
#pragma once

#include <cstddef>
#include <limits>

#include "async_barrier.hpp"

#pragma GCC visibility push(default)

namespace cuda {

template <thread_scope Scope>
class latch {
 public:
  constexpr latch(::std::ptrdiff_t expected) : left_(expected) {}
  latch(const latch &) = delete;
  latch &operator=(const latch &) = delete;

  CUDA_ON_CPU_INLINE void count_down(::std::ptrdiff_t count = 1) {
    ::cuda_on_cpu::note_arrival();
    Scope == thread_scope_block ? __threadfence_block() : __threadfence();
    __atomic_fetch_add(&told_, 1, __ATOMIC_RELAXED);  // it tells, and learns nothing
    subtract(count);
  }
  CUDA_ON_CPU_INLINE bool try_wait() const {
    const bool is_over = left() <= 0;
    if (is_over) atomicAdd(&told_, 0u);
    return is_over;
  }
  CUDA_ON_CPU_INLINE void wait(CUDA_ON_CPU_CALLER) const {
    while (!try_wait())
      Scope == thread_scope_block ? ::cuda_on_cpu::await_arrivals(caller) : ::cuda_on_cpu::spin();
  }
  CUDA_ON_CPU_INLINE void arrive_and_wait(::std::ptrdiff_t count = 1, CUDA_ON_CPU_CALLER) {
    count_down(count);
    wait(caller);
  }
  static constexpr ::std::ptrdiff_t max() { return ::std::numeric_limits<::std::ptrdiff_t>::max(); }

 private:
  // A checker hears nothing of these: who counts down learns nothing of those who have done so
  // before.
  CUDA_ON_CPU_UNINSTRUMENTED ::std::ptrdiff_t left() const {
    return __atomic_load_n(&left_, __ATOMIC_ACQUIRE);
  }
  CUDA_ON_CPU_UNINSTRUMENTED void subtract(::std::ptrdiff_t count) {
    __atomic_fetch_sub(&left_, count, __ATOMIC_ACQ_REL);
  }

  ::std::ptrdiff_t left_;
  mutable unsigned told_ = 0;
};

}  // namespace cuda

#pragma GCC visibility pop
