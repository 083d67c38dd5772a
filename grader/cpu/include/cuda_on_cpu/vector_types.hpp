// Vector types, make_* functions and dim3.
#pragma once

#include "qualifiers.hpp"

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

// g++ computes `make_float4(0, 0, 0, 0)` while it reads, and then stores each component for itself.
// With this call in it, it does so only for constants, and accesses are watched as on a GPU: one
// store.
CUDA_ON_CPU_INLINE void compute_later() {}
#ifdef CUDA_ON_CPU_INSTRUMENTED
#define CUDA_ON_CPU_WHOLE \
  if (!__builtin_is_constant_evaluated()) ::cuda_on_cpu::compute_later()
#else
#define CUDA_ON_CPU_WHOLE static_assert(true)
#endif

template <class>
inline constexpr bool is_vector = false;  // of the types below

}  // namespace cuda_on_cpu

// Alignment as CUDA defines it: two and four components are aligned as a whole (at most 16 bytes),
// three like one.
#define CUDA_ON_CPU_VECTOR(Component, name)                                                     \
  struct name##1 {                                                                              \
    Component x;                                                                                \
  };                                                                                            \
  struct alignas(2 * sizeof(Component)) name##2 {                                               \
    Component x, y;                                                                             \
  };                                                                                            \
  struct name##3 {                                                                              \
    Component x, y, z;                                                                          \
  };                                                                                            \
  struct alignas(4 * sizeof(Component) > 16 ? 16 : 4 * sizeof(Component)) name##4 {             \
    Component x, y, z, w;                                                                       \
  };                                                                                            \
  template <>                                                                                   \
  inline constexpr bool cuda_on_cpu::is_vector<name##1> = true;                                 \
  template <>                                                                                   \
  inline constexpr bool cuda_on_cpu::is_vector<name##2> = true;                                 \
  template <>                                                                                   \
  inline constexpr bool cuda_on_cpu::is_vector<name##3> = true;                                 \
  template <>                                                                                   \
  inline constexpr bool cuda_on_cpu::is_vector<name##4> = true;                                 \
  constexpr name##1 make_##name##1(Component x) {                                               \
    CUDA_ON_CPU_WHOLE;                                                                          \
    return {x};                                                                                 \
  }                                                                                             \
  constexpr name##2 make_##name##2(Component x, Component y) {                                  \
    CUDA_ON_CPU_WHOLE;                                                                          \
    return {x, y};                                                                              \
  }                                                                                             \
  constexpr name##3 make_##name##3(Component x, Component y, Component z) {                     \
    CUDA_ON_CPU_WHOLE;                                                                          \
    return {x, y, z};                                                                           \
  }                                                                                             \
  constexpr name##4 make_##name##4(Component x, Component y, Component z, Component w) {        \
    CUDA_ON_CPU_WHOLE;                                                                          \
    return {x, y, z, w};                                                                        \
  }

CUDA_ON_CPU_VECTOR(signed char, char)
CUDA_ON_CPU_VECTOR(unsigned char, uchar)
CUDA_ON_CPU_VECTOR(short, short)
CUDA_ON_CPU_VECTOR(unsigned short, ushort)
CUDA_ON_CPU_VECTOR(int, int)
CUDA_ON_CPU_VECTOR(unsigned int, uint)
CUDA_ON_CPU_VECTOR(long, long)
CUDA_ON_CPU_VECTOR(unsigned long, ulong)
CUDA_ON_CPU_VECTOR(long long, longlong)
CUDA_ON_CPU_VECTOR(unsigned long long, ulonglong)
CUDA_ON_CPU_VECTOR(float, float)
CUDA_ON_CPU_VECTOR(double, double)
#undef CUDA_ON_CPU_VECTOR

// CUDA 13's names for four 8-byte components, which say the alignment.
#define CUDA_ON_CPU_WIDE_VECTOR(Component, name)                                               \
  struct alignas(16) name##4_16a {                                                             \
    Component x, y, z, w;                                                                      \
  };                                                                                           \
  struct alignas(32) name##4_32a {                                                             \
    Component x, y, z, w;                                                                      \
  };                                                                                           \
  constexpr name##4_16a make_##name##4_16a(Component x, Component y, Component z,              \
                                           Component w) {                                      \
    CUDA_ON_CPU_WHOLE;                                                                         \
    return {x, y, z, w};                                                                       \
  }                                                                                            \
  constexpr name##4_32a make_##name##4_32a(Component x, Component y, Component z,              \
                                           Component w) {                                      \
    CUDA_ON_CPU_WHOLE;                                                                         \
    return {x, y, z, w};                                                                       \
  }
CUDA_ON_CPU_WIDE_VECTOR(long, long)
CUDA_ON_CPU_WIDE_VECTOR(unsigned long, ulong)
CUDA_ON_CPU_WIDE_VECTOR(long long, longlong)
CUDA_ON_CPU_WIDE_VECTOR(unsigned long long, ulonglong)
CUDA_ON_CPU_WIDE_VECTOR(double, double)
#undef CUDA_ON_CPU_WIDE_VECTOR
#undef CUDA_ON_CPU_WHOLE

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

#pragma GCC visibility pop
