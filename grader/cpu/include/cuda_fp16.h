// Half precision: the names and conversions; small_float.hpp has the arithmetic.
#pragma once

#include "cuda_runtime.h"
#include "cuda_on_cpu/small_float.hpp"

#pragma GCC visibility push(default)

using __half = ::cuda_on_cpu::SmallFloat<::cuda_on_cpu::Format::half>;
using __half2 = ::cuda_on_cpu::SmallFloat2<::cuda_on_cpu::Format::half>;
using half = __half;
using half2 = __half2;
using __nv_half = __half;
using nv_half = __half;
using nv_half2 = __half2;

CUDA_ON_CPU_INLINE __half __float2half(float a) { return a; }
CUDA_ON_CPU_INLINE __half __float2half_rn(float a) { return a; }
CUDA_ON_CPU_INLINE __half __double2half(double a) { return a; }
CUDA_ON_CPU_INLINE float __half2float(__half a) { return a; }
CUDA_ON_CPU_INLINE __half2 make_half2(__half x, __half y) { return {x, y}; }
CUDA_ON_CPU_INLINE __half2 __halves2half2(__half x, __half y) { return {x, y}; }
CUDA_ON_CPU_INLINE __half2 __half2half2(__half a) { return {a, a}; }
CUDA_ON_CPU_INLINE __half2 __float2half2_rn(float a) { return {a, a}; }
CUDA_ON_CPU_INLINE __half2 __floats2half2_rn(float a, float b) { return {a, b}; }
CUDA_ON_CPU_INLINE __half2 __float22half2_rn(float2 a) { return {a.x, a.y}; }
CUDA_ON_CPU_INLINE float2 __half22float2(__half2 a) { return {a.x, a.y}; }
CUDA_ON_CPU_INLINE __half __low2half(__half2 a) { return a.x; }
CUDA_ON_CPU_INLINE __half __high2half(__half2 a) { return a.y; }
CUDA_ON_CPU_INLINE __half2 __low2half2(__half2 a) { return {a.x, a.x}; }
CUDA_ON_CPU_INLINE __half2 __high2half2(__half2 a) { return {a.y, a.y}; }
CUDA_ON_CPU_INLINE __half2 __lowhigh2highlow(__half2 a) { return {a.y, a.x}; }
CUDA_ON_CPU_INLINE __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
CUDA_ON_CPU_INLINE __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
CUDA_ON_CPU_INLINE __half __int2half_rn(int a) { return a; }
CUDA_ON_CPU_INLINE __half __uint2half_rn(unsigned a) { return a; }
CUDA_ON_CPU_INLINE __half __short2half_rn(short a) { return a; }
CUDA_ON_CPU_INLINE __half __ushort2half_rn(unsigned short a) { return a; }
CUDA_ON_CPU_INLINE int __half2int_rn(__half a) { return __float2int_rn(a); }
CUDA_ON_CPU_INLINE int __half2int_rz(__half a) { return __float2int_rz(a); }
CUDA_ON_CPU_INLINE int __half2int_rd(__half a) { return __float2int_rd(a); }
CUDA_ON_CPU_INLINE int __half2int_ru(__half a) { return __float2int_ru(a); }
CUDA_ON_CPU_INLINE unsigned __half2uint_rn(__half a) { return __float2uint_rn(a); }
CUDA_ON_CPU_INLINE unsigned __half2uint_rz(__half a) { return __float2uint_rz(a); }
CUDA_ON_CPU_INLINE unsigned short __half_as_ushort(__half a) { return a.bits; }
CUDA_ON_CPU_INLINE short __half_as_short(__half a) { return static_cast<short>(a.bits); }
CUDA_ON_CPU_INLINE __half __ushort_as_half(unsigned short a) { return __half::of_bits(a); }
CUDA_ON_CPU_INLINE __half __short_as_half(short a) {
  return __half::of_bits(static_cast<unsigned short>(a));
}

#pragma GCC visibility pop
