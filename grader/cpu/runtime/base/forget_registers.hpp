// What a kernel or a copy has left in registers is not for the host to see. A function that is
// called through a pointer of another type takes whatever is there for its arguments: 32 keys of a
// launch.
#pragma once

namespace cuda_on_cpu {

#if defined(__x86_64__) || defined(__aarch64__)

// All registers that a function need not give back are zero when it returns.
[[gnu::noinline, gnu::zero_call_used_regs("all")]] inline void forget_registers() {
#ifdef __x86_64__
  static const bool are_wide = __builtin_cpu_supports("avx") != 0;  // the attribute knows 128 bits
  if (are_wide)
    asm volatile("vzeroall" ::
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
                       "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
#endif
}

#else

inline void forget_registers() {}

#endif

}  // namespace cuda_on_cpu
