// AddressSanitizer must be told of every change of stack. These are the two functions of
// runtime/threads/context.hpp with that announcement, and the waits that use them. They are linked
// before the runtime and replace its versions.
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

#define CUDA_ON_CPU_ANNOUNCED
#define prepare_context prepare_silently
#define switch_context switch_silently
#include "../runtime/threads/context.cpp"
#undef prepare_context
#undef switch_context

namespace cuda_on_cpu {
void prepare_context(Context &context, char *stack_low, std::size_t bytes, void (*entry)());
void switch_context(Context &from, const Context &to, long long result = 0);
}  // namespace cuda_on_cpu

#include "red_zones.hpp"
#include "threads/plain_waits.hpp"
#include "threads/stack_pool.hpp"

namespace cuda_on_cpu {
namespace {

// The operating-system thread's own stack: known from the first switch away from it.
thread_local const void *own_stack = nullptr;
thread_local std::size_t own_stack_bytes = 0;
void (*start_of_fiber)();

const Fiber &fiber_of(const Context &context) {  // a Fiber's first member is its context
  return reinterpret_cast<const Fiber &>(context);
}

void arrive(void *fake_stack) {
  const void *left;
  std::size_t bytes;
  __sanitizer_finish_switch_fiber(fake_stack, &left, &bytes);
  if (!own_stack) own_stack = left, own_stack_bytes = bytes;
}

void arrive_on_new_fiber() {
  arrive(nullptr);
  start_of_fiber();
}

}  // namespace

void prepare_context(Context &context, char *stack_low, std::size_t bytes, void (*entry)()) {
  start_of_fiber = entry;
  __asan_unpoison_memory_region(stack_low, bytes);  // a failed launch does not clean up its frames
  prepare_silently(context, stack_low, bytes, arrive_on_new_fiber);
}

void switch_context(Context &from, const Context &to, long long) {
  const Fiber &left = fiber_of(from), &entered = fiber_of(to);
  const bool into_kernel = entered.stack_low, from_host = !left.stack_low;
  if (from_host == into_kernel) asan::set_shared_zones(into_kernel);
  void *fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, into_kernel ? entered.stack_low : own_stack,
                                 into_kernel ? entered.stack_bytes : own_stack_bytes);
  switch_silently(from, to);
  arrive(fake_stack);
}

}  // namespace cuda_on_cpu

extern "C" void cuda_on_cpu_announce_switches() {}  // a name that the linker can ask for
