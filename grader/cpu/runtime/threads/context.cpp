// Changes from one stack to another. `ret` instead of a jump: all threads of a block wait at one
// place, so the processor's return prediction stays right.
#include "threads/context.hpp"

#include <cstdint>
#include <cstring>

#include "threads/registers.hpp"

#ifndef CUDA_ON_CPU_UCONTEXT
extern "C" void cuda_on_cpu_switch(void **save_stack_pointer, void *new_stack_pointer,
                                   long long result);
#endif

#if defined(CUDA_ON_CPU_UCONTEXT)

namespace cuda_on_cpu {
void prepare_context(Context &context, char *stack_low, std::size_t bytes, void (*entry)()) {
  getcontext(&context.saved);
  context.saved.uc_stack.ss_sp = stack_low;
  context.saved.uc_stack.ss_size = bytes;
  context.saved.uc_link = nullptr;
  makecontext(&context.saved, entry, 0);
}
void switch_context(Context &from, const Context &to, long long) {
  swapcontext(&from.saved, &to.saved);
}
}  // namespace cuda_on_cpu

#elif defined(__x86_64__)

asm(R"(
.text
.p2align 4
.globl cuda_on_cpu_switch
.hidden cuda_on_cpu_switch
.type cuda_on_cpu_switch, @function
cuda_on_cpu_switch:
)" CUDA_ON_CPU_SAVE_REGISTERS R"(
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  movq %rdx, %rax
)" CUDA_ON_CPU_RESTORE_REGISTERS R"(
  ret
.size cuda_on_cpu_switch, .-cuda_on_cpu_switch
)");

namespace cuda_on_cpu {
void prepare_context(Context &context, char *stack_low, std::size_t bytes, void (*entry)()) {
  auto top = reinterpret_cast<std::uintptr_t>(stack_low + bytes) & ~std::uintptr_t{15};
  void **frame =
      reinterpret_cast<void **>(top) - 8;  // six registers, the entry, and no return address
  std::memset(frame, 0, 8 * sizeof(void *));
  frame[6] = reinterpret_cast<void *>(entry);
  context.stack_pointer = frame;
}
}  // namespace cuda_on_cpu

#else  // aarch64

asm(R"(
.text
.p2align 4
.globl cuda_on_cpu_switch
.hidden cuda_on_cpu_switch
.type cuda_on_cpu_switch, %function
cuda_on_cpu_switch:
)" CUDA_ON_CPU_SAVE_REGISTERS R"(
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  mov x0, x2
)" CUDA_ON_CPU_RESTORE_REGISTERS R"(
  ret
.size cuda_on_cpu_switch, .-cuda_on_cpu_switch

.globl cuda_on_cpu_begin
.hidden cuda_on_cpu_begin
.type cuda_on_cpu_begin, %function
cuda_on_cpu_begin:  // the entry has no caller: who walks the stack after a crash must stop there
  mov x30, xzr
  br x19
.size cuda_on_cpu_begin, .-cuda_on_cpu_begin
)");

extern "C" void cuda_on_cpu_begin();

namespace cuda_on_cpu {
void prepare_context(Context &context, char *stack_low, std::size_t bytes, void (*entry)()) {
  auto top = reinterpret_cast<std::uintptr_t>(stack_low + bytes) & ~std::uintptr_t{15};
  void **frame = reinterpret_cast<void **>(top) - 20;
  std::memset(frame, 0, 20 * sizeof(void *));
  frame[0] = reinterpret_cast<void *>(entry);  // x19
  frame[11] = reinterpret_cast<void *>(&cuda_on_cpu_begin);  // x30, where `ret` goes
  context.stack_pointer = frame;
}
}  // namespace cuda_on_cpu

#endif

#ifndef CUDA_ON_CPU_UCONTEXT
namespace cuda_on_cpu {
void switch_context(Context &from, const Context &to, long long result) {
  cuda_on_cpu_switch(&from.stack_pointer, to.stack_pointer, result);
}
}  // namespace cuda_on_cpu
#endif

#if !defined(CUDA_ON_CPU_ANNOUNCED) && defined(CUDA_ON_CPU_UCONTEXT)
#include "threads/plain_waits.hpp"
#elif !defined(CUDA_ON_CPU_ANNOUNCED)
#include "threads/waits.hpp"
#endif
