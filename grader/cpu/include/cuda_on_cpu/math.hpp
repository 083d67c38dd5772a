// Device functions for numbers that <cmath> does not have under CUDA's names.
#pragma once

#include <cmath>
#include <ctime>

// Under CUDA these need no std::, for <math.h>'s macros of these names are gone there.
using std::abs, std::isfinite, std::isinf, std::isnan, std::isnormal, std::signbit;

// CUDA's min and max are overloads in the global namespace; mixed calls convert as it documents
// them.
#define CUDA_ON_CPU_MIN_MAX(Result, A, B)                                            \
  constexpr Result min(A a, B b) {                                                   \
    return static_cast<Result>(a) < static_cast<Result>(b) ? static_cast<Result>(a)  \
                                                           : static_cast<Result>(b); \
  }                                                                                  \
  constexpr Result max(A a, B b) {                                                   \
    return static_cast<Result>(a) < static_cast<Result>(b) ? static_cast<Result>(b)  \
                                                           : static_cast<Result>(a); \
  }
#define CUDA_ON_CPU_MIN_MAX_INTEGER(Signed, Unsigned) \
  CUDA_ON_CPU_MIN_MAX(Signed, Signed, Signed)         \
  CUDA_ON_CPU_MIN_MAX(Unsigned, Unsigned, Unsigned)   \
  CUDA_ON_CPU_MIN_MAX(Unsigned, Signed, Unsigned)     \
  CUDA_ON_CPU_MIN_MAX(Unsigned, Unsigned, Signed)
CUDA_ON_CPU_MIN_MAX_INTEGER(int, unsigned int)
CUDA_ON_CPU_MIN_MAX_INTEGER(long, unsigned long)
CUDA_ON_CPU_MIN_MAX_INTEGER(long long, unsigned long long)
#undef CUDA_ON_CPU_MIN_MAX_INTEGER
#undef CUDA_ON_CPU_MIN_MAX

// Of a number and a NaN these return the number: fmin and fmax, not a comparison.
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(a, b); }
inline double max(float a, double b) { return fmax(a, b); }
inline double min(double a, float b) { return fmin(a, b); }
inline double max(double a, float b) { return fmax(a, b); }
constexpr unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
constexpr unsigned umax(unsigned a, unsigned b) { return a < b ? b : a; }

inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
inline float fdividef(float a, float b) { return a / b; }
inline float __fdividef(float a, float b) { return a / b; }
inline float __saturatef(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }
inline float sinpif(float x) { return static_cast<float>(sin(M_PI * x)); }
inline float cospif(float x) { return static_cast<float>(cos(M_PI * x)); }
constexpr unsigned __sad(int a, int b, unsigned c) {
  return c + (a < b ? static_cast<unsigned>(b) - static_cast<unsigned>(a)
                    : static_cast<unsigned>(a) - static_cast<unsigned>(b));
}

// The fast variants have glibc's private names (__expf, ...), so they are macros; here they are
// exact.
#define __expf(x) expf(x)
#define __exp10f(x) exp10f(x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define __powf(x, y) powf(x, y)
#define __sincosf(x, s, c) sincosf(x, s, c)

// Rounding to nearest even is the processor's mode; other rounding modes are missing on purpose.
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __frsqrt_rn(float x) { return static_cast<float>(1.0 / sqrt(static_cast<double>(x))); }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline int __float2int_rn(float x) { return static_cast<int>(nearbyintf(x)); }
inline int __float2int_rz(float x) { return static_cast<int>(x); }
inline int __float2int_rd(float x) { return static_cast<int>(floorf(x)); }
inline int __float2int_ru(float x) { return static_cast<int>(ceilf(x)); }
inline unsigned __float2uint_rn(float x) { return static_cast<unsigned>(nearbyintf(x)); }
inline unsigned __float2uint_rz(float x) { return static_cast<unsigned>(x); }
inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }

inline long long clock64() {  // nanoseconds: the virtual device ticks at 1 GHz
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}
