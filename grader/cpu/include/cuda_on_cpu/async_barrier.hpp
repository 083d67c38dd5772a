// cuda::barrier. Who arrives publishes what it has done before; who has waited may read it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atomics.hpp"
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
    pending_ = expected_ = static_cast<unsigned>(expected);
    phase_ = 0;
  }
  CUDA_ON_CPU_INLINE arrival_token arrive(::std::ptrdiff_t count = 1) {
    const auto arrived = static_cast<unsigned>(count);
    const unsigned phase = completed_phases();
    ::cuda_on_cpu::note_arrival();
    fence();
    if (atomicSub(&pending_, arrived) == arrived) {
      atomicExch(&pending_, atomicAdd(&expected_, 0u));
      fence();
      atomicAdd(&phase_, 1u);
    }
    return phase;
  }
  CUDA_ON_CPU_INLINE void wait(arrival_token phase, CUDA_ON_CPU_CALLER) {
    wait_for_phases(phase + 1, caller);
  }
  CUDA_ON_CPU_INLINE void wait_parity(bool odd, CUDA_ON_CPU_CALLER) {
    while ((completed_phases() & 1) == odd) let_others_arrive(caller);
  }
  CUDA_ON_CPU_INLINE void arrive_and_wait(CUDA_ON_CPU_CALLER) { wait(arrive(), caller); }
  CUDA_ON_CPU_INLINE void arrive_and_drop() {
    atomicSub(&expected_, 1u);
    arrive();
  }
  CUDA_ON_CPU_INLINE void wait_for_phases(unsigned count, ::cuda_on_cpu::Site caller = {}) {
    while (static_cast<int>(completed_phases() - count) < 0) let_others_arrive(caller);
  }

 private:
  // Only threads of the block can arrive at a barrier of the block.
  CUDA_ON_CPU_INLINE static void let_others_arrive(::cuda_on_cpu::Site caller) {
    Scope == thread_scope_block ? ::cuda_on_cpu::await_arrivals(caller) : ::cuda_on_cpu::spin();
  }
  CUDA_ON_CPU_INLINE unsigned completed_phases() { return atomicAdd(&phase_, 0u); }
  CUDA_ON_CPU_INLINE static void fence() {
    Scope == thread_scope_block ? __threadfence_block() : __threadfence();
  }
  unsigned expected_, pending_, phase_;
};

template <thread_scope Scope>
CUDA_ON_CPU_INLINE void init(barrier<Scope> *made, ::std::ptrdiff_t expected) {
  made->begin(expected);
}

}  // namespace cuda

#pragma GCC visibility pop
