// One element of a texture or surface: up to four components of one type.
#pragma once

#include <array>

#include "vector_types.hpp"

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

// Every component type of a texture (8 to 32 bits) fits a double exactly.
using Texel = std::array<double, 4>;

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
inline T from_texel(const Texel &texel) {
  using Component = ComponentOf<T>;
  Component components[sizeof(T) / sizeof(Component)];
  for (unsigned i = 0; i < sizeof components / sizeof components[0]; ++i)
    components[i] = static_cast<Component>(texel[i]);
  T value;
  __builtin_memcpy(&value, components, sizeof value);
  return value;
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
