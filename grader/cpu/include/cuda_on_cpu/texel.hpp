// One element of a texture or surface: up to four components of one type.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "vector_types.hpp"

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

// Every component type of a texture (8 to 32 bits) fits a double exactly.
using Texel = std::array<double, 4>;

// A float as a double, and back, with all its bits. A conversion would quiet a NaN. What is no
// float is no NaN. The bits decide, because with fast mathematics no comparison finds a NaN.
inline constexpr std::uint32_t kFloatInfinity = 0x7F800000, kFloatMantissa = 0x7FFFFF;
inline constexpr std::uint64_t kDoubleInfinity = 0x7FF0000000000000;
inline constexpr unsigned kMoreMantissa = 52 - 23;

inline double widened(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & ~(1u << 31)) <= kFloatInfinity) return value;
  return std::bit_cast<double>(std::uint64_t{bits >> 31} << 63 | kDoubleInfinity |
                               std::uint64_t{bits & kFloatMantissa} << kMoreMantissa);
}
template <class T>
inline T narrowed(double component) {
  const auto bits = std::bit_cast<std::uint64_t>(component);
  if ((bits & ~(1ull << 63)) <= kDoubleInfinity) return static_cast<T>(component);
  const std::uint32_t nan = static_cast<std::uint32_t>(bits >> 63) << 31 | kFloatInfinity |
                            (static_cast<std::uint32_t>(bits >> kMoreMantissa) & kFloatMantissa);
  if constexpr (sizeof(T) == sizeof nan) return std::bit_cast<T>(nan);
  return static_cast<T>(component);
}

template <class T>
struct ComponentOfType {
  using type = T;
};
template <class T>
requires requires(T value) { value.x; }
struct ComponentOfType<T> {
  using type = decltype(T::x);
};
template <class T>
using ComponentOf = typename ComponentOfType<T>::type;

template <class T>
constexpr bool is_of_floats = std::is_floating_point_v<ComponentOf<T>>;

template <class T>
inline T from_texel(const Texel &texel) {
  using Component = ComponentOf<T>;
  Component components[sizeof(T) / sizeof(Component)];
  for (unsigned i = 0; i < sizeof components / sizeof components[0]; ++i)
    components[i] = narrowed<Component>(texel[i]);
  T value;
  __builtin_memcpy(&value, components, sizeof value);
  return value;
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
