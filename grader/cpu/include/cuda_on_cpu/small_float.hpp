// Floats of 16 bits: half (5 bits of exponent) and bfloat16 (8 bits). Each operation is done in
// float and rounded to nearest, as a GPU does it; a fused multiply-add rounds once.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "atomics.hpp"
#include "vector_types.hpp"
#include "warp.hpp"

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

enum class Format { half, bfloat16 };

constexpr std::uint16_t rounded(float value, Format format) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
  const std::uint32_t size = bits & 0x7fffffff;
  if (size > 0x7f800000) return 0x7fff;  // not a number
  if (format == Format::bfloat16)
    return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  if (size >= 0x477ff000) return sign | 0x7c00;  // too large: infinity
  if (size < 0x38800000) {  // smaller than the smallest normal number: a multiple of 2^-24
    if (size <= 0x33000000) return sign;
    const unsigned shift = 126 - (size >> 23);
    const std::uint32_t whole = (size & 0x7fffff) | 0x800000;
    const std::uint32_t kept = whole >> shift, rest = whole & ((1u << shift) - 1);
    const std::uint32_t middle = 1u << (shift - 1);
    return static_cast<std::uint16_t>(sign |
                                      (kept + (rest > middle || (rest == middle && kept & 1))));
  }
  const std::uint32_t rebased = size - 0x38000000;
  return static_cast<std::uint16_t>(sign | ((rebased + 0xfff + (rebased >> 13 & 1)) >> 13));
}

constexpr float widened(std::uint16_t bits, Format format) {
  if (format == Format::bfloat16) return std::bit_cast<float>(std::uint32_t{bits} << 16);
  const std::uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31;
  const std::uint32_t fraction = bits & 0x3ff;
  if (exponent == 0) {
    const float size = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -size : size;
  }
  const std::uint32_t rebased = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | rebased << 23 | fraction << 13);
}

template <Format format>
struct alignas(2) SmallFloat {
  SmallFloat() = default;
  template <class T>
  requires std::is_arithmetic_v<T>
  constexpr SmallFloat(T value) : bits(rounded(static_cast<float>(value), format)) {}
  constexpr operator float() const { return widened(bits, format); }
  static constexpr SmallFloat of_bits(std::uint16_t bits) {
    SmallFloat made{};
    made.bits = bits;
    return made;
  }
  std::uint16_t bits;
};

template <Format format>
struct alignas(4) SmallFloat2 {
  SmallFloat<format> x, y;
};

#define CUDA_ON_CPU_OPERATOR(sign, name)                                                          \
  template <Format f>                                                                             \
  CUDA_ON_CPU_INLINE constexpr SmallFloat<f> operator sign(SmallFloat<f> a, SmallFloat<f> b) {    \
    return static_cast<float>(a) sign static_cast<float>(b);                                      \
  }                                                                                               \
  template <Format f>                                                                             \
  CUDA_ON_CPU_INLINE constexpr SmallFloat<f> &operator sign##=(SmallFloat<f> &a,                  \
                                                               SmallFloat<f> b) {                 \
    return a = a sign b;                                                                          \
  }                                                                                               \
  template <Format f>                                                                             \
  CUDA_ON_CPU_INLINE constexpr SmallFloat2<f> operator sign(SmallFloat2<f> a, SmallFloat2<f> b) { \
    return {a.x sign b.x, a.y sign b.y};                                                          \
  }                                                                                               \
  template <Format f>                                                                             \
  CUDA_ON_CPU_INLINE constexpr SmallFloat2<f> &operator sign##=(SmallFloat2<f> &a,                \
                                                                SmallFloat2<f> b) {               \
    return a = a sign b;                                                                          \
  }
CUDA_ON_CPU_OPERATOR(+, add)
CUDA_ON_CPU_OPERATOR(-, sub)
CUDA_ON_CPU_OPERATOR(*, mul)
CUDA_ON_CPU_OPERATOR(/, div)
#undef CUDA_ON_CPU_OPERATOR
template <Format f>
CUDA_ON_CPU_INLINE constexpr SmallFloat<f> operator-(SmallFloat<f> a) {
  return SmallFloat<f>::of_bits(a.bits ^ 0x8000);
}
template <Format f>
CUDA_ON_CPU_INLINE constexpr SmallFloat2<f> operator-(SmallFloat2<f> a) {
  return {-a.x, -a.y};
}

// The product is exact in double, and so the sum is rounded once, but for the last bit of a tie.
template <Format f>
CUDA_ON_CPU_INLINE SmallFloat<f> fused(SmallFloat<f> a, SmallFloat<f> b, SmallFloat<f> c) {
  return std::fmaf(a, b, c);
}

}  // namespace cuda_on_cpu

#define CUDA_ON_CPU_ONE template <::cuda_on_cpu::Format f>
#define CUDA_ON_CPU_T ::cuda_on_cpu::SmallFloat<f>
#define CUDA_ON_CPU_T2 ::cuda_on_cpu::SmallFloat2<f>

// name(a, b) and name2(a, b), and with the suffix _rn, which says what happens anyway.
#define CUDA_ON_CPU_PAIR(name, value)                                                  \
  CUDA_ON_CPU_ONE CUDA_ON_CPU_INLINE CUDA_ON_CPU_T name(CUDA_ON_CPU_T a, CUDA_ON_CPU_T b) {        \
    return value;                                                                      \
  }                                                                                    \
  CUDA_ON_CPU_ONE CUDA_ON_CPU_INLINE CUDA_ON_CPU_T2 name##2(CUDA_ON_CPU_T2 a, CUDA_ON_CPU_T2 b) {  \
    return {name(a.x, b.x), name(a.y, b.y)};                                           \
  }                                                                                    \
  CUDA_ON_CPU_ONE CUDA_ON_CPU_INLINE CUDA_ON_CPU_T name##_rn(CUDA_ON_CPU_T a, CUDA_ON_CPU_T b) {   \
    return value;                                                                      \
  }
CUDA_ON_CPU_PAIR(__hadd, a + b)
CUDA_ON_CPU_PAIR(__hsub, a - b)
CUDA_ON_CPU_PAIR(__hmul, a *b)
CUDA_ON_CPU_PAIR(__hdiv, a / b)
CUDA_ON_CPU_PAIR(__hmin, std::fminf(a, b))
CUDA_ON_CPU_PAIR(__hmax, std::fmaxf(a, b))
#undef CUDA_ON_CPU_PAIR
CUDA_ON_CPU_ONE CUDA_ON_CPU_INLINE CUDA_ON_CPU_T2 __h2div(CUDA_ON_CPU_T2 a, CUDA_ON_CPU_T2 b) {
  return a / b;
}
CUDA_ON_CPU_ONE CUDA_ON_CPU_INLINE CUDA_ON_CPU_T __hfma(CUDA_ON_CPU_T a, CUDA_ON_CPU_T b,
                                                        CUDA_ON_CPU_T c) {
  return ::cuda_on_cpu::fused(a, b, c);
}
CUDA_ON_CPU_ONE CUDA_ON_CPU_INLINE CUDA_ON_CPU_T2 __hfma2(CUDA_ON_CPU_T2 a, CUDA_ON_CPU_T2 b,
                                              CUDA_ON_CPU_T2 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
CUDA_ON_CPU_ONE CUDA_ON_CPU_INLINE CUDA_ON_CPU_T __hneg(CUDA_ON_CPU_T a) { return -a; }
CUDA_ON_CPU_ONE CUDA_ON_CPU_INLINE CUDA_ON_CPU_T2 __hneg2(CUDA_ON_CPU_T2 a) { return -a; }

// Functions of one number, for one and for two.
#define CUDA_ON_CPU_EACH(name, name2, value)                                    \
  CUDA_ON_CPU_ONE CUDA_ON_CPU_INLINE CUDA_ON_CPU_T name(CUDA_ON_CPU_T a) { return value; }  \
  CUDA_ON_CPU_ONE CUDA_ON_CPU_INLINE CUDA_ON_CPU_T2 name2(CUDA_ON_CPU_T2 a) {               \
    return {name(a.x), name(a.y)};                                              \
  }
CUDA_ON_CPU_EACH(__habs, __habs2, CUDA_ON_CPU_T::of_bits(a.bits & 0x7fff))
CUDA_ON_CPU_EACH(hsqrt, h2sqrt, std::sqrt(static_cast<float>(a)))
CUDA_ON_CPU_EACH(hrsqrt, h2rsqrt, 1 / std::sqrt(static_cast<float>(a)))
CUDA_ON_CPU_EACH(hrcp, h2rcp, 1 / static_cast<float>(a))
CUDA_ON_CPU_EACH(hexp, h2exp, std::exp(static_cast<float>(a)))
CUDA_ON_CPU_EACH(hexp2, h2exp2, std::exp2(static_cast<float>(a)))
CUDA_ON_CPU_EACH(hlog, h2log, std::log(static_cast<float>(a)))
CUDA_ON_CPU_EACH(hlog2, h2log2, std::log2(static_cast<float>(a)))
CUDA_ON_CPU_EACH(hlog10, h2log10, std::log10(static_cast<float>(a)))
CUDA_ON_CPU_EACH(hsin, h2sin, std::sin(static_cast<float>(a)))
CUDA_ON_CPU_EACH(hcos, h2cos, std::cos(static_cast<float>(a)))
CUDA_ON_CPU_EACH(htanh, h2tanh, std::tanh(static_cast<float>(a)))
CUDA_ON_CPU_EACH(hfloor, h2floor, std::floor(static_cast<float>(a)))
CUDA_ON_CPU_EACH(hceil, h2ceil, std::ceil(static_cast<float>(a)))
CUDA_ON_CPU_EACH(htrunc, h2trunc, std::trunc(static_cast<float>(a)))
CUDA_ON_CPU_EACH(hrint, h2rint, std::nearbyint(static_cast<float>(a)))
#undef CUDA_ON_CPU_EACH

// __hlt(a, b), __hlt2(a, b) with 1 or 0 for each, __hblt2(a, b) for both together.
#define CUDA_ON_CPU_COMPARE(word, sign)                                                       \
  CUDA_ON_CPU_ONE CUDA_ON_CPU_INLINE bool __h##word(CUDA_ON_CPU_T a, CUDA_ON_CPU_T b) {       \
    return static_cast<float>(a) sign static_cast<float>(b);                                  \
  }                                                                                           \
  CUDA_ON_CPU_ONE CUDA_ON_CPU_INLINE CUDA_ON_CPU_T2 __h##word##2(CUDA_ON_CPU_T2 a,            \
                                                                 CUDA_ON_CPU_T2 b) {          \
    return {__h##word(a.x, b.x), __h##word(a.y, b.y)};                                        \
  }                                                                                           \
  CUDA_ON_CPU_ONE CUDA_ON_CPU_INLINE bool __hb##word##2(CUDA_ON_CPU_T2 a, CUDA_ON_CPU_T2 b) { \
    return __h##word(a.x, b.x) && __h##word(a.y, b.y);                                        \
  }
CUDA_ON_CPU_COMPARE(eq, ==)
CUDA_ON_CPU_COMPARE(ne, !=)
CUDA_ON_CPU_COMPARE(lt, <)
CUDA_ON_CPU_COMPARE(le, <=)
CUDA_ON_CPU_COMPARE(gt, >)
CUDA_ON_CPU_COMPARE(ge, >=)
#undef CUDA_ON_CPU_COMPARE
CUDA_ON_CPU_ONE CUDA_ON_CPU_INLINE bool __hisnan(CUDA_ON_CPU_T a) {
  return std::isnan(static_cast<float>(a));
}
CUDA_ON_CPU_ONE CUDA_ON_CPU_INLINE int __hisinf(CUDA_ON_CPU_T a) {
  return std::isinf(static_cast<float>(a)) ? (a.bits >> 15 ? -1 : 1) : 0;
}

CUDA_ON_CPU_ONE CUDA_ON_CPU_INLINE float __low2float(CUDA_ON_CPU_T2 a) { return a.x; }
CUDA_ON_CPU_ONE CUDA_ON_CPU_INLINE float __high2float(CUDA_ON_CPU_T2 a) { return a.y; }

// Shuffles of one value and of two.
#define CUDA_ON_CPU_SHUFFLE_SMALL(name, Argument)                                                  \
  CUDA_ON_CPU_ONE CUDA_ON_CPU_INLINE CUDA_ON_CPU_T name(                                           \
      unsigned mask, CUDA_ON_CPU_T value, Argument argument, int width = 32, CUDA_ON_CPU_CALLER) { \
    const unsigned bits = value.bits;                                                              \
    return CUDA_ON_CPU_T::of_bits(                                                                 \
        static_cast<std::uint16_t>(name(mask, bits, argument, width, caller)));                    \
  }                                                                                                \
  CUDA_ON_CPU_ONE CUDA_ON_CPU_INLINE CUDA_ON_CPU_T2 name(unsigned mask, CUDA_ON_CPU_T2 value,      \
                                                         Argument argument, int width = 32,        \
                                                         CUDA_ON_CPU_CALLER) {                     \
    return std::bit_cast<CUDA_ON_CPU_T2>(                                                          \
        name(mask, std::bit_cast<unsigned>(value), argument, width, caller));                      \
  }
CUDA_ON_CPU_SHUFFLE_SMALL(__shfl_sync, int)
CUDA_ON_CPU_SHUFFLE_SMALL(__shfl_up_sync, unsigned)
CUDA_ON_CPU_SHUFFLE_SMALL(__shfl_down_sync, unsigned)
CUDA_ON_CPU_SHUFFLE_SMALL(__shfl_xor_sync, int)
#undef CUDA_ON_CPU_SHUFFLE_SMALL

#undef CUDA_ON_CPU_ONE
#undef CUDA_ON_CPU_T
#undef CUDA_ON_CPU_T2

namespace cuda_on_cpu {

template <Format format>
inline SmallFloat<format> atomicAdd(SmallFloat<format> *address,
                                    std::type_identity_t<SmallFloat<format>> value) {
  return atomic_update(address, [value](SmallFloat<format> old) { return old + value; });
}
// Both parts at once, where a GPU promises that only for each of them.
template <Format format>
inline SmallFloat2<format> atomicAdd(SmallFloat2<format> *address,
                                     std::type_identity_t<SmallFloat2<format>> value) {
  return atomic_update(address, [value](SmallFloat2<format> old) { return old + value; });
}

}  // namespace cuda_on_cpu

using ::cuda_on_cpu::atomicAdd;

#pragma GCC visibility pop
