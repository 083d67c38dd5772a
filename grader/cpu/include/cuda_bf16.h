// bfloat16: the names and conversions; small_float.hpp has the arithmetic.
#pragma once

#include "cuda_runtime.h"
#include "cuda_on_cpu/small_float.hpp"

#pragma GCC visibility push(default)

using __nv_bfloat16 = ::cuda_on_cpu::SmallFloat<::cuda_on_cpu::Format::bfloat16>;
using __nv_bfloat162 = ::cuda_on_cpu::SmallFloat2<::cuda_on_cpu::Format::bfloat16>;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

CUDA_ON_CPU_INLINE __nv_bfloat16 __float2bfloat16(float a) { return a; }
CUDA_ON_CPU_INLINE __nv_bfloat16 __float2bfloat16_rn(float a) { return a; }
CUDA_ON_CPU_INLINE __nv_bfloat16 __double2bfloat16(double a) { return a; }
CUDA_ON_CPU_INLINE float __bfloat162float(__nv_bfloat16 a) { return a; }
CUDA_ON_CPU_INLINE __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return {x, y};
}
CUDA_ON_CPU_INLINE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return {x, y};
}
CUDA_ON_CPU_INLINE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
CUDA_ON_CPU_INLINE __nv_bfloat162 __float2bfloat162_rn(float a) { return {a, a}; }
CUDA_ON_CPU_INLINE __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return {a, b}; }
CUDA_ON_CPU_INLINE __nv_bfloat162 __float22bfloat162_rn(float2 a) { return {a.x, a.y}; }
CUDA_ON_CPU_INLINE float2 __bfloat1622float2(__nv_bfloat162 a) { return {a.x, a.y}; }
CUDA_ON_CPU_INLINE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
CUDA_ON_CPU_INLINE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
CUDA_ON_CPU_INLINE __nv_bfloat16 __int2bfloat16_rn(int a) { return a; }
CUDA_ON_CPU_INLINE __nv_bfloat16 __uint2bfloat16_rn(unsigned a) { return a; }
CUDA_ON_CPU_INLINE int __bfloat162int_rn(__nv_bfloat16 a) { return __float2int_rn(a); }
CUDA_ON_CPU_INLINE int __bfloat162int_rz(__nv_bfloat16 a) { return __float2int_rz(a); }
CUDA_ON_CPU_INLINE unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.bits; }
CUDA_ON_CPU_INLINE __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) {
  return __nv_bfloat16::of_bits(a);
}

#pragma GCC visibility pop
