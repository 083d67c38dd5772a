// cuda::barrier as functions: an __mbarrier_t in shared memory.
#pragma once
#include "cuda_runtime.h"

#include <cstdint>

#include "cuda_on_cpu/async_barrier.hpp"

using __mbarrier_t = ::cuda::barrier<::cuda::thread_scope_block>;
using __mbarrier_token_t = std::uint64_t;

inline std::uint32_t __mbarrier_maximum_count() { return __mbarrier_t::max(); }
CUDA_ON_CPU_INLINE void __mbarrier_init(__mbarrier_t *barrier, std::uint32_t expected) {
  barrier->begin(expected);
}
CUDA_ON_CPU_INLINE void __mbarrier_inval(__mbarrier_t *) {}
CUDA_ON_CPU_INLINE __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *barrier) {
  return barrier->arrive();
}
CUDA_ON_CPU_INLINE __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *barrier) {
  return barrier->arrive_for_the_last_time();
}
CUDA_ON_CPU_INLINE bool __mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token) {
  return barrier->has_completed(static_cast<unsigned>(token));
}
CUDA_ON_CPU_INLINE bool __mbarrier_test_wait_parity(__mbarrier_t *barrier, bool parity) {
  return barrier->has_completed_parity(parity);
}
CUDA_ON_CPU_INLINE bool __mbarrier_try_wait(__mbarrier_t *barrier, __mbarrier_token_t token,
                                            std::uint32_t) {
  return barrier->has_completed(static_cast<unsigned>(token));
}
CUDA_ON_CPU_INLINE bool __mbarrier_try_wait_parity(__mbarrier_t *barrier, bool parity,
                                                   std::uint32_t) {
  return barrier->has_completed_parity(parity);
}
