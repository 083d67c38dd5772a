// Device functions for numbers that <cmath> does not have under CUDA's names.
#pragma once

#include <cmath>
#include <ctime>

#include "conversions.hpp"

#pragma GCC visibility push(default)

// In CUDA these need no std::, because <math.h>'s macros with these names are removed there.
using std::abs, std::isfinite, std::isinf, std::isnan, std::isnormal, std::signbit;

#ifdef __CUDACC__  // in C++ files these are a program's own names, as in helper_math.h of CUDA's
                   // samples
// CUDA's min and max are overloads in the global namespace; mixed calls convert as CUDA documents.
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

// Of a number and a NaN these return the number, and -0 is below 0: see
// runtime/api/signed_zeros.cpp.
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(a, b); }
inline double max(float a, double b) { return fmax(a, b); }
inline double min(double a, float b) { return fmin(a, b); }
inline double max(double a, float b) { return fmax(a, b); }
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
#endif
constexpr unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
constexpr unsigned umax(unsigned a, unsigned b) { return a < b ? b : a; }
constexpr long long llmin(long long a, long long b) { return a < b ? a : b; }
constexpr long long llmax(long long a, long long b) { return a < b ? b : a; }
constexpr unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return a < b ? a : b;
}
constexpr unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return a < b ? b : a;
}

inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrt(float x) { return 1.0f / sqrtf(x); }
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

inline void sincospif(float x, float *sine, float *cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}
inline double sinpi(double x) { return sin(M_PI * x); }
inline double cospi(double x) { return cos(M_PI * x); }
inline void sincospi(double x, double *sine, double *cosine) {
  *sine = sinpi(x);
  *cosine = cospi(x);
}
inline double rcbrt(double x) { return 1.0 / cbrt(x); }
inline double normcdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }
inline float normcdff(float x) { return static_cast<float>(normcdf(x)); }
inline double erfcx(double x) { return exp(x * x) * erfc(x); }
inline float erfcxf(float x) { return static_cast<float>(erfcx(x)); }
double normcdfinv(double p);  // runtime/api/inverse_normal.cpp
inline float normcdfinvf(float p) { return static_cast<float>(normcdfinv(p)); }
inline double erfinv(double x) { return normcdfinv(0.5 * (x + 1)) * M_SQRT1_2; }
inline float erfinvf(float x) { return static_cast<float>(erfinv(x)); }
inline double erfcinv(double x) { return -normcdfinv(0.5 * x) * M_SQRT1_2; }
inline float erfcinvf(float x) { return static_cast<float>(erfcinv(x)); }
inline double norm3d(double a, double b, double c) { return sqrt(a * a + b * b + c * c); }
inline float norm3df(float a, float b, float c) { return static_cast<float>(norm3d(a, b, c)); }
inline double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
inline float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }
inline double rhypot(double a, double b) { return 1.0 / hypot(a, b); }
inline float rhypotf(float a, float b) { return 1.0f / hypotf(a, b); }

inline long long clock64() {  // nanoseconds: the virtual device ticks at 1 GHz
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}
inline unsigned long long __globaltimer() { return static_cast<unsigned long long>(clock64()); }
inline void __nanosleep(unsigned) {}  // no other thread of the block runs meanwhile

#pragma GCC visibility pop
