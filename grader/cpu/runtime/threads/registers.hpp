// The registers that a function must give back as it found them, on the stack of a thread that does
// not run: all that the ABI names, except the floating-point control registers, which are the same
// for all CUDA threads. For the assembly of context.cpp and waits.hpp. prepare_context() lays out a
// new stack in the same way.
#pragma once

#ifdef __x86_64__

#define CUDA_ON_CPU_SAVE_REGISTERS \
  "pushq %rbp\n"                   \
  "pushq %rbx\n"                   \
  "pushq %r12\n"                   \
  "pushq %r13\n"                   \
  "pushq %r14\n"                   \
  "pushq %r15\n"
#define CUDA_ON_CPU_RESTORE_REGISTERS \
  "popq %r15\n"                       \
  "popq %r14\n"                       \
  "popq %r13\n"                       \
  "popq %r12\n"                       \
  "popq %rbx\n"                       \
  "popq %rbp\n"

#else  // aarch64

#define CUDA_ON_CPU_EACH_REGISTER(instruction)   \
  #instruction " x19, x20, [sp, #0]\n"           \
  #instruction " x21, x22, [sp, #16]\n"          \
  #instruction " x23, x24, [sp, #32]\n"          \
  #instruction " x25, x26, [sp, #48]\n"          \
  #instruction " x27, x28, [sp, #64]\n"          \
  #instruction " x29, x30, [sp, #80]\n"          \
  #instruction " d8, d9, [sp, #96]\n"            \
  #instruction " d10, d11, [sp, #112]\n"         \
  #instruction " d12, d13, [sp, #128]\n"         \
  #instruction " d14, d15, [sp, #144]\n"
#define CUDA_ON_CPU_SAVE_REGISTERS "sub sp, sp, #160\n" CUDA_ON_CPU_EACH_REGISTER(stp)
#define CUDA_ON_CPU_RESTORE_REGISTERS CUDA_ON_CPU_EACH_REGISTER(ldp) "add sp, sp, #160\n"

#endif
