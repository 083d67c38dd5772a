// How a thread waits: the functions that kernels call for it. Each arrives somewhere
// (arrivals.cpp), switches to the stack of the thread that goes on, and returns what that thread
// waited for. Only context.cpp includes this: without the headers of a block it is compiled at
// once.
//
// The assembly saves the registers first, and goes back to the kernel itself. A processor expects
// that a `ret` goes back to the last `call`. If the other thread waits where this one does, it does
// so. If not, a `ret` would cost as much as all the rest, and a jump is better: the processor
// learns where it goes, because most lanes of a warp go where the lane before them went.
#pragma once

#include "threads/registers.hpp"

// A function's name as C++ knows it, the one that arrives, and the register of the latter's last
// parameter.
#ifdef __x86_64__
asm(R"(
.macro cuda_on_cpu_wait name, arrive, saved
.p2align 4
.globl \name
.type \name, @function
\name:
)" CUDA_ON_CPU_SAVE_REGISTERS R"(
  movq %rsp, \saved
  subq $8, %rsp
  call \arrive
  movq 56(%rsp), %rcx
  movq %rax, %rsp
  movq %rdx, %rax
)" CUDA_ON_CPU_RESTORE_REGISTERS R"(
  cmpq %rcx, (%rsp)
  jne 1f
  ret
1:
  popq %rcx
  jmp *%rcx
.size \name, .-\name
.endm

cuda_on_cpu_wait _ZN11cuda_on_cpu7barrierENS_4SiteE, cuda_on_cpu_barrier, %rdx
cuda_on_cpu_wait _ZN11cuda_on_cpu12grid_barrierENS_4SiteE, cuda_on_cpu_grid_barrier, %rdx
cuda_on_cpu_wait _ZN11cuda_on_cpu15cluster_barrierENS_4SiteE, cuda_on_cpu_cluster_barrier, %rdx
cuda_on_cpu_wait _ZN11cuda_on_cpu13barrier_countEbNS_4SiteE, cuda_on_cpu_barrier_count, %rcx
cuda_on_cpu_wait _ZN11cuda_on_cpu15warp_rendezvousERKNS_11WarpRequestENS_4SiteE, cuda_on_cpu_warp, %rcx
)");
#else  // aarch64
asm(R"(
.macro cuda_on_cpu_wait name, arrive, saved
.p2align 4
.globl \name
.type \name, %function
\name:
)" CUDA_ON_CPU_SAVE_REGISTERS R"(
  mov \saved, sp
  bl \arrive
  mov sp, x0
  mov x0, x1
)" CUDA_ON_CPU_RESTORE_REGISTERS R"(
  br x30
.size \name, .-\name
.endm

cuda_on_cpu_wait _ZN11cuda_on_cpu7barrierENS_4SiteE, cuda_on_cpu_barrier, x2
cuda_on_cpu_wait _ZN11cuda_on_cpu12grid_barrierENS_4SiteE, cuda_on_cpu_grid_barrier, x2
cuda_on_cpu_wait _ZN11cuda_on_cpu15cluster_barrierENS_4SiteE, cuda_on_cpu_cluster_barrier, x2
cuda_on_cpu_wait _ZN11cuda_on_cpu13barrier_countEbNS_4SiteE, cuda_on_cpu_barrier_count, x3
cuda_on_cpu_wait _ZN11cuda_on_cpu15warp_rendezvousERKNS_11WarpRequestENS_4SiteE, cuda_on_cpu_warp, x3
)");
#endif
