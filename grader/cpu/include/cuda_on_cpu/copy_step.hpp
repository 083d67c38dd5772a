// What a checker hears of copies that overlap with computing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "qualifiers.hpp"

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

// The running thread has begun to copy `number` bytes to `to`; has committed what it has begun; or
// has waited until at most `number` of its commits are on their way. Or what it has begun last is
// over when somebody has waited at the barrier `to`, and somebody has.
enum class CopyStep { begun, committed, waited, bound, over };
void note_copy_step(CopyStep step, void *to, std::size_t number);

CUDA_ON_CPU_INLINE void copy_step([[maybe_unused]] CopyStep step, [[maybe_unused]] void *to,
                                  [[maybe_unused]] std::size_t number) {
#ifdef CUDA_ON_CPU_INSTRUMENTED
  note_copy_step(step, to, number);
#endif
}

// A copy of 8 or 16 bytes at once needs addresses that are multiples of it: on a GPU it ends the
// kernel.
[[noreturn]] void refuse_copy(std::size_t unit, bool is_target, Site caller);
[[noreturn]] void refuse_size(std::size_t bytes, Site caller);
CUDA_ON_CPU_INLINE void need_aligned(const void *to, const void *from, std::size_t unit,
                                     Site caller) {
  if (unit && reinterpret_cast<std::uintptr_t>(to) % unit) refuse_copy(unit, true, caller);
  if (unit && reinterpret_cast<std::uintptr_t>(from) % unit) refuse_copy(unit, false, caller);
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
