// Barriers of a block, memory fences, and __trap().
#pragma once

#include "qualifiers.hpp"

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

void barrier(Site caller);
int barrier_count(bool predicate,
                  Site caller);  // how many of the waiting threads had a true predicate
unsigned call_path(Site caller);  // a number for the calls that led here; 0 without a checker
// A number for the call of this function and the one of the function that it is in.
unsigned place_of_call(const void *outer_call);

// In check mode the threads of a block have to come to a barrier by the same calls.
CUDA_ON_CPU_INLINE Site with_path(Site caller) {
#ifdef CUDA_ON_CPU_INSTRUMENTED
  caller.path = call_path(caller);
#endif
  return caller;
}
void fence(bool block_only);
[[noreturn]] void trap(Site caller);
// The rewriter writes this into loops that may wait for another thread. From time to time it lets
// the block's other threads run.
void spin();
void wait_round();  // the same, where the loop does nothing but wait
// A round of a loop that waits for other threads of the block to arrive; somebody has arrived.
void await_arrivals(Site caller);
void note_arrival();
// In check mode the rewriter writes this after a branch or loop that has warp functions in it:
// lanes that come here without having called them are not waited for by chance.
void went_past(unsigned region);

}  // namespace cuda_on_cpu

inline void __syncthreads(CUDA_ON_CPU_CALLER) {
  ::cuda_on_cpu::barrier(::cuda_on_cpu::with_path(caller));
}
inline int __syncthreads_count(int predicate, CUDA_ON_CPU_CALLER) {
  return ::cuda_on_cpu::barrier_count(predicate != 0, ::cuda_on_cpu::with_path(caller));
}
inline int __syncthreads_or(int predicate, CUDA_ON_CPU_CALLER) {
  return ::cuda_on_cpu::barrier_count(predicate != 0, ::cuda_on_cpu::with_path(caller)) != 0;
}
inline int __syncthreads_and(int predicate, CUDA_ON_CPU_CALLER) {
  return ::cuda_on_cpu::barrier_count(predicate == 0, ::cuda_on_cpu::with_path(caller)) == 0;
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
