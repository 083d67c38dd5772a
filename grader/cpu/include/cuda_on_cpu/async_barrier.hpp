// cuda::barrier. Who arrives publishes what it has done before; who has waited may read it. Each
// phase has words of its own, so a thread that waits learns nothing of a later phase: if more
// threads arrive than are expected, a checker sees that nothing orders them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atomics.hpp"
#include "copy_step.hpp"
#include "groups.hpp"
#include "sync.hpp"

// CCCL's own names, where its headers are used as well.
#if __has_include(<cuda/std/__atomic/scopes.h>)
#include <cuda/std/__atomic/scopes.h>
#else
#pragma GCC visibility push(default)
namespace cuda {
enum thread_scope {
  thread_scope_system,
  thread_scope_device,
  thread_scope_block,
  thread_scope_thread,
};
}  // namespace cuda
#pragma GCC visibility pop
#endif

#pragma GCC visibility push(default)

namespace cuda {

template <thread_scope Scope>
class barrier {
 public:
  using arrival_token = unsigned;

  barrier() = default;  // a __shared__ variable has no constructor: see init()
  explicit barrier(::std::ptrdiff_t expected) { begin(expected); }
  barrier(const barrier &) = delete;

  CUDA_ON_CPU_INLINE void begin(::std::ptrdiff_t expected) {
    expected_ = static_cast<unsigned>(expected);
    for (PhaseWords &phase : phases_) phase = {expected_, 0};
    completed_ = 0;
    set_up_ = kSetUp;
  }
  CUDA_ON_CPU_INLINE arrival_token arrive(::std::ptrdiff_t count = 1) {
    // Read before anything is learnt from those who arrived earlier: who sets the barrier up may be
    // one of them.
    if (set_up_ != kSetUp) ::cuda_on_cpu::spin();
    const auto arrived = static_cast<unsigned>(count);
    const unsigned number = completed();
    ::cuda_on_cpu::note_arrival();
    fence();
    // it tells, and learns nothing
    __atomic_fetch_add(&phases_[number % kPhases].done, 1, __ATOMIC_RELAXED);
    count_arrivals(number, arrived);
    return number;
  }
  // A token serves once, so it is moved from: nvcc refuses wait(token), too.
  CUDA_ON_CPU_INLINE void wait(arrival_token &&phase, CUDA_ON_CPU_CALLER) {
    wait_for_phases(phase + 1, caller);
  }
  CUDA_ON_CPU_INLINE void wait_parity(bool odd, CUDA_ON_CPU_CALLER) {
    while ((completed() & 1) == odd) let_others_arrive(caller);
    learn_of(completed() - 1);
  }
  CUDA_ON_CPU_INLINE void arrive_and_wait(CUDA_ON_CPU_CALLER) { wait(arrive(), caller); }
  CUDA_ON_CPU_INLINE void arrive_and_drop() { arrive_for_the_last_time(); }
  CUDA_ON_CPU_INLINE arrival_token arrive_for_the_last_time() {
    expect_less();
    return arrive();
  }
  CUDA_ON_CPU_INLINE void wait_for_phases(unsigned count, ::cuda_on_cpu::Site caller = {}) {
    while (static_cast<int>(completed() - count) < 0) let_others_arrive(caller);
    learn_of(count - 1);
  }

  // For who asks again and again: each question that is answered no lets other threads go on.
  CUDA_ON_CPU_INLINE bool has_completed(unsigned phase) {
    if (static_cast<int>(completed() - phase) <= 0) ::cuda_on_cpu::spin();
    const bool has = static_cast<int>(completed() - phase) > 0;
    if (has) learn_of(phase);
    return has;
  }
  CUDA_ON_CPU_INLINE bool has_completed_parity(bool odd) {
    if ((completed() & 1) == odd) ::cuda_on_cpu::spin();
    const bool has = (completed() & 1) != odd;
    if (has) learn_of(completed() - 1);
    return has;
  }
  static constexpr ::std::ptrdiff_t max() noexcept { return (1 << 20) - 1; }

  CUDA_ON_CPU_INLINE void begin_copy(void *to, ::std::size_t bytes) {
    ::cuda_on_cpu::copy_step(::cuda_on_cpu::CopyStep::begun, to, bytes);
    ::cuda_on_cpu::copy_step(::cuda_on_cpu::CopyStep::bound, this, 0);
  }

 private:
  // Only threads of the block can arrive at a barrier of the block.
  CUDA_ON_CPU_INLINE static void let_others_arrive(::cuda_on_cpu::Site caller) {
    Scope == thread_scope_block ? ::cuda_on_cpu::await_arrivals(caller) : ::cuda_on_cpu::spin();
  }
  CUDA_ON_CPU_INLINE void learn_of(unsigned phase) {
    atomicAdd(&phases_[phase % kPhases].done, 0u);
    ::cuda_on_cpu::copy_step(::cuda_on_cpu::CopyStep::over, this, 0);
  }
  // A checker hears nothing of these: who arrives learns nothing of those who have arrived before.
  CUDA_ON_CPU_UNINSTRUMENTED unsigned completed() const {
    return __atomic_load_n(&completed_, __ATOMIC_ACQUIRE);
  }
  CUDA_ON_CPU_UNINSTRUMENTED void expect_less() {
    __atomic_fetch_sub(&expected_, 1, __ATOMIC_RELAXED);
  }
  CUDA_ON_CPU_UNINSTRUMENTED void count_arrivals(unsigned number, unsigned arrived) {
    unsigned *const pending = &phases_[number % kPhases].pending;
    if (__atomic_sub_fetch(pending, arrived, __ATOMIC_ACQ_REL) != 0) return;
    const unsigned expected = __atomic_load_n(&expected_, __ATOMIC_RELAXED);
    __atomic_store_n(&phases_[(number + 1) % kPhases].pending, expected, __ATOMIC_RELAXED);
    __atomic_fetch_add(&completed_, 1, __ATOMIC_RELEASE);
  }
  CUDA_ON_CPU_INLINE static void fence() {
    Scope == thread_scope_block ? __threadfence_block() : __threadfence();
  }

  static constexpr unsigned kPhases = 4, kSetUp = 0x5e7;
  struct PhaseWords {
    unsigned pending, done;
  };
  unsigned expected_, completed_, set_up_;
  PhaseWords phases_[kPhases];
};

template <thread_scope Scope>
CUDA_ON_CPU_INLINE void init(barrier<Scope> *made, ::std::ptrdiff_t expected) {
  made->begin(expected);
}

}  // namespace cuda

#pragma GCC visibility pop
