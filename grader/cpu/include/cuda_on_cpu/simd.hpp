// Integer functions on the packed bytes or halves of a 32-bit word, and dot products of these.
#pragma once

#include <type_traits>

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

// Applies `operation` to each part of two words; a part is a T.
template <class T, class Operation>
constexpr unsigned by_part(unsigned a, unsigned b, Operation operation) {
  constexpr unsigned bits = 8 * sizeof(T);
  unsigned result = 0;
  for (unsigned shift = 0; shift < 32; shift += bits) {
    const auto part = operation(static_cast<T>(a >> shift), static_cast<T>(b >> shift));
    result |= static_cast<unsigned>(static_cast<std::make_unsigned_t<T>>(part)) << shift;
  }
  return result;
}

}  // namespace cuda_on_cpu

#define CUDA_ON_CPU_SIMD(name, expression, T)                                               \
  constexpr unsigned name(unsigned left, unsigned right) {                                  \
    return ::cuda_on_cpu::by_part<T>(left, right, [](int a, int b) { return expression; }); \
  }
#define CUDA_ON_CPU_SIMD_FAMILY(suffix, Signed, Unsigned)                \
  CUDA_ON_CPU_SIMD(__vadd##suffix, a + b, Unsigned)                      \
  CUDA_ON_CPU_SIMD(__vsub##suffix, a - b, Unsigned)                      \
  CUDA_ON_CPU_SIMD(__vmaxs##suffix, a > b ? a : b, Signed)               \
  CUDA_ON_CPU_SIMD(__vmins##suffix, a < b ? a : b, Signed)               \
  CUDA_ON_CPU_SIMD(__vmaxu##suffix, a > b ? a : b, Unsigned)             \
  CUDA_ON_CPU_SIMD(__vminu##suffix, a < b ? a : b, Unsigned)             \
  CUDA_ON_CPU_SIMD(__vabsdiffs##suffix, a > b ? a - b : b - a, Signed)   \
  CUDA_ON_CPU_SIMD(__vabsdiffu##suffix, a > b ? a - b : b - a, Unsigned) \
  CUDA_ON_CPU_SIMD(__vcmpeq##suffix, a == b ? -1 : 0, Unsigned)          \
  CUDA_ON_CPU_SIMD(__vcmpne##suffix, a != b ? -1 : 0, Unsigned)          \
  CUDA_ON_CPU_SIMD(__vcmpgtu##suffix, a > b ? -1 : 0, Unsigned)          \
  CUDA_ON_CPU_SIMD(__vcmpltu##suffix, a < b ? -1 : 0, Unsigned)          \
  CUDA_ON_CPU_SIMD(__vcmpgts##suffix, a > b ? -1 : 0, Signed)            \
  CUDA_ON_CPU_SIMD(__vcmplts##suffix, a < b ? -1 : 0, Signed)
CUDA_ON_CPU_SIMD_FAMILY(2, short, unsigned short)
CUDA_ON_CPU_SIMD_FAMILY(4, signed char, unsigned char)
#undef CUDA_ON_CPU_SIMD_FAMILY
#undef CUDA_ON_CPU_SIMD

constexpr int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; ++i)
    c += static_cast<signed char>(a >> 8 * i) * static_cast<signed char>(b >> 8 * i);
  return c;
}
constexpr unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i) c += (a >> 8 * i & 0xffu) * (b >> 8 * i & 0xffu);
  return c;
}
constexpr int __dp2a_lo(int a, int b, int c) {
  return c + static_cast<short>(a) * static_cast<signed char>(b) +
         (a >> 16) * static_cast<signed char>(b >> 8);
}
constexpr int __dp2a_hi(int a, int b, int c) { return __dp2a_lo(a, b >> 16, c); }

// Four bytes of the eight in y:x, chosen by the low three bits of each digit of `selector`.
constexpr unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i)
    result |= static_cast<unsigned>(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
  return result;
}
constexpr unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low
                     : static_cast<unsigned>(
                           (static_cast<unsigned long long>(high) << 32 | low) << shift >> 32);
}
constexpr unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32
             ? high
             : static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> shift);
}
constexpr unsigned __usad(unsigned a, unsigned b, unsigned c) {
  return c + (a < b ? b - a : a - b);
}
constexpr int __hadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b) >> 1);
}
constexpr int __rhadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}
constexpr unsigned __uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b) >> 1);
}
constexpr unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}

#pragma GCC visibility pop
