// Integer and bit intrinsics, reinterpretation of bits, loads with a cache hint.
#pragma once

#include <bit>
#include <type_traits>

#include "simd.hpp"

#pragma GCC visibility push(default)

constexpr int __popc(unsigned x) { return std::popcount(x); }
constexpr int __popcll(unsigned long long x) { return std::popcount(x); }
constexpr int __clz(int x) { return std::countl_zero(static_cast<unsigned>(x)); }
constexpr int __clzll(long long x) { return std::countl_zero(static_cast<unsigned long long>(x)); }
constexpr int __ffs(int x) { return __builtin_ffs(x); }
constexpr int __ffsll(long long x) { return __builtin_ffsll(x); }

// The place of the bit that is number `offset` of those set in `mask`, from `base` on upwards, or
// downwards if it is negative; 0: that of `base` itself. All ones if there is none.
constexpr unsigned __fns(unsigned mask, unsigned base, int offset) {
  if (offset == 0) return base < 32 && mask >> base & 1 ? base : ~0u;
  int left = offset > 0 ? offset : -offset;
  for (int bit = static_cast<int>(base); bit >= 0 && bit < 32; bit += offset > 0 ? 1 : -1)
    if (mask >> bit & 1 && --left == 0) return static_cast<unsigned>(bit);
  return ~0u;
}

constexpr unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
constexpr unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}

constexpr int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
constexpr unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
constexpr int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<long long>(a) * b >> 32);
}
constexpr unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
constexpr long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
constexpr unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
constexpr unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(
      (static_cast<unsigned long long>(high) << 32 | low) << (shift & 31) >> 32);
}
constexpr unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31));
}

constexpr int __float_as_int(float x) { return std::bit_cast<int>(x); }
constexpr unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
constexpr float __int_as_float(int x) { return std::bit_cast<float>(x); }
constexpr float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
constexpr long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
constexpr double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }
constexpr int __double2hiint(double x) {
  return static_cast<int>(std::bit_cast<long long>(x) >> 32);
}
constexpr int __double2loint(double x) { return static_cast<int>(std::bit_cast<long long>(x)); }
constexpr double __hiloint2double(int high, int low) {
  return std::bit_cast<double>(static_cast<long long>(high) << 32 | static_cast<unsigned>(low));
}

// A CPU has one kind of load and store; the hint does not change the value.
#define CUDA_ON_CPU_LOAD(name)      \
  template <class T>                \
  inline T name(const T *address) { \
    return *address;                \
  }
CUDA_ON_CPU_LOAD(__ldg)
CUDA_ON_CPU_LOAD(__ldca)
CUDA_ON_CPU_LOAD(__ldcs)
CUDA_ON_CPU_LOAD(__ldlu)
#undef CUDA_ON_CPU_LOAD
// These two read past L1, which does not see the writes of other multiprocessors. As a volatile
// read does, they get one of the values that a word has had.
#define CUDA_ON_CPU_LOAD_FROM_L2(name)                                \
  template <class T>                                                  \
  inline T name(const T *address) {                                   \
    if constexpr (std::is_arithmetic_v<T>)                            \
      return *static_cast<const volatile T *>(address);               \
    else                                                              \
      return *address;                                                \
  }
CUDA_ON_CPU_LOAD_FROM_L2(__ldcg)
CUDA_ON_CPU_LOAD_FROM_L2(__ldcv)
#undef CUDA_ON_CPU_LOAD_FROM_L2
#define CUDA_ON_CPU_STORE(name)                                 \
  template <class T>                                            \
  inline void name(T *address, std::type_identity_t<T> value) { \
    *address = value;                                           \
  }
CUDA_ON_CPU_STORE(__stcg)
CUDA_ON_CPU_STORE(__stcs)
CUDA_ON_CPU_STORE(__stwb)
CUDA_ON_CPU_STORE(__stwt)
#undef CUDA_ON_CPU_STORE

#pragma GCC visibility pop
