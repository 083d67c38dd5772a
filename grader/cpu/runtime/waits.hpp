// How a thread waits: the functions that kernels call for it. Each arrives somewhere, switches to the
// stack of the thread that goes on, and returns what that thread waited for. Only context.cpp includes
// this, or what replaces it.
//
// The assembly saves the registers first, and goes back to the kernel itself. A processor expects that a
// `ret` goes back to the last `call`. If the other thread waits where this one does, it does so. If not,
// a `ret` would cost as much as all the rest, and a jump is better: the processor learns where it goes,
// because most lanes of a warp go where the lane before them went.
#pragma once

#include <type_traits>

#include "block.hpp"
#include "registers.hpp"

namespace cuda_on_cpu {
namespace {

Fiber &arrive_at_barrier(Site site) { return current_block().arrive_at_barrier(site); }
Fiber &arrive_at_grid_barrier(Site site) { return current_block().arrive_at_grid_barrier(site); }
Fiber &arrive_and_count(bool predicate, Site site) {
  return current_block().arrive_and_count(predicate, site);
}
Fiber &arrive_in_warp(const WarpRequest &request, Site site) {
  return current_block().arrive_in_warp(request, site);
}

}  // namespace

#if defined(CUDA_ON_CPU_UCONTEXT) || defined(CUDA_ON_CPU_ANNOUNCED)

namespace {

template <class... Parameter>
long long wait(Fiber &(*arrive)(Parameter...), const std::type_identity_t<Parameter> &...argument) {
  Fiber &self = *current_block().running();
  if (Fiber &to = arrive(argument...); &to != &self) switch_context(self.context, to.context);
  return *self.result;
}

}  // namespace

void barrier(Site site) { wait(arrive_at_barrier, site); }
void grid_barrier(Site site) { wait(arrive_at_grid_barrier, site); }
int barrier_count(bool predicate, Site site) {
  return static_cast<int>(wait(arrive_and_count, predicate, site));
}
long long warp_rendezvous(const WarpRequest &request, Site site) {
  return wait(arrive_in_warp, request, site);
}

#else

namespace {

struct Resumed {
  void *stack_pointer;
  long long result;
};

// `saved`: the stack pointer after the registers were saved.
template <class... Parameter>
Resumed resume(Fiber &(*arrive)(Parameter...), void *saved, std::type_identity_t<Parameter>... argument) {
  current_block().running()->context.stack_pointer = saved;
  const Fiber &to = arrive(argument...);
  return {to.context.stack_pointer, *to.result};
}

}  // namespace

extern "C" {
Resumed cuda_on_cpu_barrier(Site site, void *saved) {
  return resume(arrive_at_barrier, saved, site);
}
Resumed cuda_on_cpu_grid_barrier(Site site, void *saved) {
  return resume(arrive_at_grid_barrier, saved, site);
}
Resumed cuda_on_cpu_barrier_count(bool predicate, Site site, void *saved) {
  return resume(arrive_and_count, saved, predicate, site);
}
Resumed cuda_on_cpu_warp(const WarpRequest &request, Site site, void *saved) {
  return resume(arrive_in_warp, saved, request, site);
}
}

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
cuda_on_cpu_wait _ZN11cuda_on_cpu13barrier_countEbNS_4SiteE, cuda_on_cpu_barrier_count, x3
cuda_on_cpu_wait _ZN11cuda_on_cpu15warp_rendezvousERKNS_11WarpRequestENS_4SiteE, cuda_on_cpu_warp, x3
)");
#endif

#endif

}  // namespace cuda_on_cpu
