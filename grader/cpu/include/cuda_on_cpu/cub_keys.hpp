// Keys for cub's radix sorts: their bits, so that a larger key has the larger number.
#pragma once

#include <bit>
#include <cstdint>

#include "cub.hpp"

#pragma GCC visibility push(default)

namespace cub::detail {

template <std::size_t bytes>
using Unsigned = std::conditional_t<
    bytes == 1, std::uint8_t,
    std::conditional_t<bytes == 2, std::uint16_t,
                       std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>>>;

// Integers, and floats of every size: those that are no integer have a sign and a size.
template <class Key>
CUDA_ON_CPU_LIBRARY Unsigned<sizeof(Key)> ordered_bits(const Key &key) {
  using Bits = Unsigned<sizeof(Key)>;
  constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Key) - 1));
  Bits bits;
  __builtin_memcpy(&bits, &key, sizeof bits);
  if constexpr (std::is_unsigned_v<Key>) return bits;
  if constexpr (std::is_integral_v<Key>) return bits ^ sign;
  if (bits == sign) bits = 0;  // -0 equals 0
  return bits & sign ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | sign);
}

// Is a key before another, by some of their bits?
template <bool descending>
struct ByBits {
  int begin, end;
  template <class Key>
  CUDA_ON_CPU_LIBRARY bool operator()(const Key &a, const Key &b) const {
    return descending ? part(b) < part(a) : part(a) < part(b);
  }
  template <class Key>
  CUDA_ON_CPU_LIBRARY std::uint64_t part(const Key &key) const {
    const std::uint64_t bits = ordered_bits(key);
    return (end < 64 ? bits & ((std::uint64_t{1} << end) - 1) : bits) >> begin;
  }
};

}  // namespace cub::detail

#pragma GCC visibility pop
