// Barriers of a block, memory fences, and __trap().
#pragma once

#include "qualifiers.hpp"

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

void barrier(Site caller);
int barrier_count(bool predicate,
                  Site caller);  // how many of the waiting threads had a true predicate
void fence(bool block_only);
[[noreturn]] void trap(Site caller);
// The rewriter writes this into loops that may wait for another thread. From time to time it lets
// the block's other threads run.
void spin();
// In check mode the rewriter writes this after a branch or loop that has warp functions in it:
// lanes that come here without having called them are not waited for by chance.
void went_past(unsigned region);

}  // namespace cuda_on_cpu

inline void __syncthreads(CUDA_ON_CPU_CALLER) { ::cuda_on_cpu::barrier(caller); }
inline int __syncthreads_count(int predicate, CUDA_ON_CPU_CALLER) {
  return ::cuda_on_cpu::barrier_count(predicate != 0, caller);
}
inline int __syncthreads_or(int predicate, CUDA_ON_CPU_CALLER) {
  return ::cuda_on_cpu::barrier_count(predicate != 0, caller) != 0;
}
inline int __syncthreads_and(int predicate, CUDA_ON_CPU_CALLER) {
  return ::cuda_on_cpu::barrier_count(predicate == 0, caller) == 0;
}

// The compiler must not move accesses across a fence. A full fence also keeps the processor from
// moving them.
inline void __threadfence() {
#ifdef CUDA_ON_CPU_INSTRUMENTED
  ::cuda_on_cpu::fence(false);  // one worker runs all blocks: only the checker needs to know
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}
inline void __threadfence_block() {
#ifdef CUDA_ON_CPU_INSTRUMENTED
  ::cuda_on_cpu::fence(true);
#else
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
#endif
}
inline void __threadfence_system() { __threadfence(); }

// Kernels run one after the other, so there is nothing to wait for and nothing to start early.
inline void cudaGridDependencySynchronize() {}
inline void cudaTriggerProgrammaticLaunchCompletion() {}

[[noreturn]] inline void __trap(CUDA_ON_CPU_CALLER) { ::cuda_on_cpu::trap(caller); }

#pragma GCC visibility pop
