// Whether memory is a CUDA thread's own: its stack is that of the fiber on which it runs.
#pragma once

#include "threads/block.hpp"

namespace cuda_on_cpu {

// A thread's own variables are above the frame of any function that it has called, and below the
// end of its stack. Only inside of kernels. Above the frame, wherever a processor's register for it
// points to: the smaller what counts as the thread's own is, the more of what is not is found.
__attribute__((always_inline)) inline bool on_own_stack(const char *address) {
  if (address < static_cast<const char *>(__builtin_dwarf_cfa())) return false;
  const Fiber &fiber = *current_block().running_fiber();
  return address < fiber.stack_low + fiber.stack_bytes;
}

}  // namespace cuda_on_cpu
