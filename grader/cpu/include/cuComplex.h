// Complex numbers in C's manner: float2 and double2 under other names, and functions.
#pragma once

#include "cuda_runtime.h"

#ifdef __CUDA__  // clang, which reads CUDA for ./lab run --mode lint
#pragma clang force_cuda_host_device begin
#endif
#pragma GCC visibility push(default)

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = cuFloatComplex;

namespace cuda_on_cpu::complex {

template <class Complex>
CUDA_ON_CPU_INLINE Complex product(Complex x, Complex y) {
  return {x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x};
}
// Scaled, so that nothing overflows on the way.
template <class Complex>
CUDA_ON_CPU_INLINE Complex quotient(Complex x, Complex y) {
  const auto scale = 1 / (std::abs(y.x) + std::abs(y.y));
  const Complex a{x.x * scale, x.y * scale}, b{y.x * scale, y.y * scale};
  const auto square = 1 / (b.x * b.x + b.y * b.y);
  return {(a.x * b.x + a.y * b.y) * square, (a.y * b.x - a.x * b.y) * square};
}
template <class Complex>
CUDA_ON_CPU_INLINE Complex sum(Complex x, Complex y) {
  return {x.x + y.x, x.y + y.y};
}
template <class Complex>
CUDA_ON_CPU_INLINE Complex difference(Complex x, Complex y) {
  return {x.x - y.x, x.y - y.y};
}

}  // namespace cuda_on_cpu::complex

#define CUDA_ON_CPU_COMPLEX(Complex, Real, suffix, abs_of)                                        \
  CUDA_ON_CPU_INLINE Real cuCreal##suffix(Complex x) { return x.x; }                              \
  CUDA_ON_CPU_INLINE Real cuCimag##suffix(Complex x) { return x.y; }                              \
  CUDA_ON_CPU_INLINE Complex make_##Complex(Real x, Real y) { return {x, y}; }                    \
  CUDA_ON_CPU_INLINE Complex cuConj##suffix(Complex x) { return {x.x, -x.y}; }                    \
  CUDA_ON_CPU_INLINE Complex cuCadd##suffix(Complex x, Complex y) {                               \
    return ::cuda_on_cpu::complex::sum(x, y);                                                     \
  }                                                                                               \
  CUDA_ON_CPU_INLINE Complex cuCsub##suffix(Complex x, Complex y) {                               \
    return ::cuda_on_cpu::complex::difference(x, y);                                              \
  }                                                                                               \
  CUDA_ON_CPU_INLINE Complex cuCmul##suffix(Complex x, Complex y) {                               \
    return ::cuda_on_cpu::complex::product(x, y);                                                 \
  }                                                                                               \
  CUDA_ON_CPU_INLINE Complex cuCdiv##suffix(Complex x, Complex y) {                               \
    return ::cuda_on_cpu::complex::quotient(x, y);                                                \
  }                                                                                               \
  CUDA_ON_CPU_INLINE Real cuCabs##suffix(Complex x) { return abs_of(x.x, x.y); }                  \
  CUDA_ON_CPU_INLINE Complex cuCfma##suffix(Complex x, Complex y, Complex d) {                    \
    return ::cuda_on_cpu::complex::sum(::cuda_on_cpu::complex::product(x, y), d);                 \
  }
CUDA_ON_CPU_COMPLEX(cuFloatComplex, float, f, hypotf)
CUDA_ON_CPU_COMPLEX(cuDoubleComplex, double, , hypot)
#undef CUDA_ON_CPU_COMPLEX

CUDA_ON_CPU_INLINE cuComplex make_cuComplex(float x, float y) { return {x, y}; }
CUDA_ON_CPU_INLINE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) { return {x.x, x.y}; }
CUDA_ON_CPU_INLINE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) {
  return {static_cast<float>(x.x), static_cast<float>(x.y)};
}

#pragma GCC visibility pop
#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif
