// What a checker hears of copies that overlap with computing.
#pragma once

#include <cstddef>

#include "qualifiers.hpp"

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

// The running thread has begun to copy `number` bytes to `to`; has committed what it has begun; or has
// waited until at most `number` of its commits are on their way.
enum class CopyStep { begun, committed, waited };
void note_copy_step(CopyStep step, void *to, std::size_t number);

CUDA_ON_CPU_INLINE void copy_step([[maybe_unused]] CopyStep step, [[maybe_unused]] void *to,
                                  [[maybe_unused]] std::size_t number) {
#ifdef CUDA_ON_CPU_INSTRUMENTED
  note_copy_step(step, to, number);
#endif
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
