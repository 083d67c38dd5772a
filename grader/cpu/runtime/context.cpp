// Saves the registers that the ABI calls callee-saved, except the floating-point control registers,
// which are the same for all CUDA threads. `ret` instead of a jump: all threads of a block wait at
// one place, so the processor's return prediction stays right.
#include "context.hpp"

#include <cstdint>
#include <cstring>

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
.type cuda_on_cpu_switch, @function
cuda_on_cpu_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  movq %rdx, %rax
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
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
.type cuda_on_cpu_switch, %function
cuda_on_cpu_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  mov x0, x2
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size cuda_on_cpu_switch, .-cuda_on_cpu_switch

.globl cuda_on_cpu_begin
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

#ifndef CUDA_ON_CPU_ANNOUNCED
#include "waits.hpp"
#endif
