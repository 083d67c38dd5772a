// Two functions: one prepares a stack so that a function starts on it, one switches stacks.
#pragma once

#include <cstddef>

#if defined(CUDA_ON_CPU_UCONTEXT)
#include <ucontext.h>
#elif !defined(__x86_64__) && !defined(__aarch64__)
#define CUDA_ON_CPU_UCONTEXT
#include <ucontext.h>
#endif

namespace cuda_on_cpu {

struct Context {
#ifdef CUDA_ON_CPU_UCONTEXT
  ucontext_t saved;
#else
  void *stack_pointer;  // everything else is on the stack
#endif
};

// The next switch to `context` calls `entry`, which must never return, on the stack that ends at
// stack_low + bytes.
void prepare_context(Context &context, char *stack_low, std::size_t bytes, void (*entry)());

// Who waits in waits.hpp goes on with this result.
void switch_context(Context &from, const Context &to, long long result = 0);

// Soon there will be a switch to `context`.
inline void prefetch([[maybe_unused]] const Context &context) {
#ifndef CUDA_ON_CPU_UCONTEXT
  for (int line = 0; line < 2; ++line)
    __builtin_prefetch(static_cast<const char *>(context.stack_pointer) + 64 * line);
#endif
}

}  // namespace cuda_on_cpu
