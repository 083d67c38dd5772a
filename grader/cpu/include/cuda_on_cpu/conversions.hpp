// Conversions with a named rounding, and arithmetic rounded to nearest even. Arithmetic in other
// rounding modes (__fadd_rd ...) is missing on purpose: it would have to change the processor's
// mode.
#pragma once

#include <cmath>
#include <limits>

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

// Out of range: the nearest possible value; NaN: 0 (as the hardware converts).
template <class Integer, class Real>
inline Integer saturated(Real x) {
  using Limits = std::numeric_limits<Integer>;
  if (!(x == x)) return 0;
  if (x <= static_cast<Real>(Limits::min())) return Limits::min();
  if (x >= static_cast<Real>(Limits::max())) return Limits::max();
  return static_cast<Integer>(x);
}

}  // namespace cuda_on_cpu

#define CUDA_ON_CPU_TO_INTEGER(Real, real, Integer, integer)     \
  inline Integer __##real##2##integer##_rn(Real x) {             \
    return ::cuda_on_cpu::saturated<Integer>(std::nearbyint(x)); \
  }                                                              \
  inline Integer __##real##2##integer##_rz(Real x) {             \
    return ::cuda_on_cpu::saturated<Integer>(std::trunc(x));     \
  }                                                              \
  inline Integer __##real##2##integer##_rd(Real x) {             \
    return ::cuda_on_cpu::saturated<Integer>(std::floor(x));     \
  }                                                              \
  inline Integer __##real##2##integer##_ru(Real x) {             \
    return ::cuda_on_cpu::saturated<Integer>(std::ceil(x));      \
  }
#define CUDA_ON_CPU_BOTH(Integer, integer)               \
  CUDA_ON_CPU_TO_INTEGER(float, float, Integer, integer) \
  CUDA_ON_CPU_TO_INTEGER(double, double, Integer, integer)
CUDA_ON_CPU_BOTH(int, int)
CUDA_ON_CPU_BOTH(unsigned, uint)
CUDA_ON_CPU_BOTH(long long, ll)
CUDA_ON_CPU_BOTH(unsigned long long, ull)
#undef CUDA_ON_CPU_BOTH
#undef CUDA_ON_CPU_TO_INTEGER

inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
inline float __ll2float_rn(long long x) { return static_cast<float>(x); }
inline float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
inline double __ll2double_rn(long long x) { return static_cast<double>(x); }
inline double __ull2double_rn(unsigned long long x) { return static_cast<double>(x); }
inline float __double2float_rn(double x) { return static_cast<float>(x); }

inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __frsqrt_rn(float x) { return static_cast<float>(1.0 / sqrt(static_cast<double>(x))); }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __drcp_rn(double x) { return 1.0 / x; }
inline double __dsqrt_rn(double x) { return sqrt(x); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }

#pragma GCC visibility pop
