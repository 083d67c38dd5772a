// Functions of a warp. All of them are one rendezvous of the lanes named in the mask; the runtime
// computes each result.
#pragma once

#include <bit>
#include <concepts>
#include <type_traits>

#include "qualifiers.hpp"
#include "sync.hpp"

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

enum class WarpFunction : unsigned char {
  sync,
  shuffle,
  shuffle_up,
  shuffle_down,
  shuffle_xor,
  ballot,
  match_any,
  reduce_add,
  reduce_min,
  reduce_max,
  reduce_and,
  reduce_or,
  reduce_xor,
  active_mask,
};

struct WarpRequest {
  WarpFunction function;
  unsigned mask;
  long long value = 0;  // wide enough for every 32-bit operand and the bits of every 64-bit one
  int argument = 0;     // source lane, delta or lane mask
  int width = 32;
};

long long warp_rendezvous(const WarpRequest &request, Site caller);

template <class T>
CUDA_ON_CPU_UNINSTRUMENTED inline T shuffle(WarpFunction function, unsigned mask, T value,
                                            int argument, int width, Site caller) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles move 4 or 8 bytes");
  using Bits = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
  const auto bits = static_cast<long long>(std::bit_cast<Bits>(value));
  return std::bit_cast<T>(
      static_cast<Bits>(warp_rendezvous({function, mask, bits, argument, width}, caller)));
}

template <class T>
concept Arithmetic = std::is_arithmetic_v<T>;
template <class T>
concept WarpInteger = std::same_as<T, int> || std::same_as<T, unsigned>;

}  // namespace cuda_on_cpu

inline void __syncwarp(unsigned mask = 0xffffffffu, CUDA_ON_CPU_CALLER) {
  ::cuda_on_cpu::warp_rendezvous({::cuda_on_cpu::WarpFunction::sync, mask}, caller);
}

// Lanes that call one function in two branches are not active together in it. The empty assembly
// keeps the optimiser from making two places of one. Where accesses are watched, it makes none. The
// `if` is there for compiler/assembly.py, which looks for a program's assembly in headers, too: it
// leaves in peace what follows a `)`.
CUDA_ON_CPU_INLINE unsigned __activemask(CUDA_ON_CPU_CALLER) {
#ifndef CUDA_ON_CPU_INSTRUMENTED
  if constexpr (true) asm("");
#endif
  caller.path = ::cuda_on_cpu::place_of_call(__builtin_return_address(0));
  return static_cast<unsigned>(::cuda_on_cpu::warp_rendezvous(
      {::cuda_on_cpu::WarpFunction::active_mask, 0xffffffffu}, caller));
}

// Unary plus promotes bool, char and short to int, as a call of CUDA's int overload does.
#define CUDA_ON_CPU_SHUFFLE(name, kind, Argument)                                  \
  template <::cuda_on_cpu::Arithmetic T>                                           \
  inline auto name(unsigned mask, T value, Argument argument, int width = 32,      \
                   CUDA_ON_CPU_CALLER) {                                           \
    return ::cuda_on_cpu::shuffle(::cuda_on_cpu::WarpFunction::kind, mask, +value, \
                                  static_cast<int>(argument), width, caller);      \
  }
CUDA_ON_CPU_SHUFFLE(__shfl_sync, shuffle, int)
CUDA_ON_CPU_SHUFFLE(__shfl_up_sync, shuffle_up, unsigned)
CUDA_ON_CPU_SHUFFLE(__shfl_down_sync, shuffle_down, unsigned)
CUDA_ON_CPU_SHUFFLE(__shfl_xor_sync, shuffle_xor, int)
#undef CUDA_ON_CPU_SHUFFLE

inline unsigned __ballot_sync(unsigned mask, int predicate, CUDA_ON_CPU_CALLER) {
  return static_cast<unsigned>(::cuda_on_cpu::warp_rendezvous(
      {::cuda_on_cpu::WarpFunction::ballot, mask, predicate != 0}, caller));
}
inline int __any_sync(unsigned mask, int predicate, CUDA_ON_CPU_CALLER) {
  return __ballot_sync(mask, predicate, caller) != 0;
}
inline int __all_sync(unsigned mask, int predicate, CUDA_ON_CPU_CALLER) {
  return __ballot_sync(mask, predicate == 0, caller) == 0;
}

template <::cuda_on_cpu::Arithmetic T>
inline unsigned __match_any_sync(unsigned mask, T value, CUDA_ON_CPU_CALLER) {
  long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return static_cast<unsigned>(
      ::cuda_on_cpu::warp_rendezvous({::cuda_on_cpu::WarpFunction::match_any, mask, bits}, caller));
}

// The mask if all its lanes have the same value, otherwise 0.
template <::cuda_on_cpu::Arithmetic T>
inline unsigned __match_all_sync(unsigned mask, T value, int *equal, CUDA_ON_CPU_CALLER) {
  const unsigned same = __match_any_sync(mask, value, caller);
  const unsigned everybody = static_cast<unsigned>(::cuda_on_cpu::warp_rendezvous(
      {::cuda_on_cpu::WarpFunction::ballot, mask, 1}, caller));
  *equal = __all_sync(mask, same == everybody, caller);
  return *equal ? everybody : 0;
}

// Only for 32-bit integers, as in CUDA.
#define CUDA_ON_CPU_REDUCE(name, kind)                                                             \
  template <::cuda_on_cpu::WarpInteger T>                                                          \
  inline T name(unsigned mask, T value, CUDA_ON_CPU_CALLER) {                                      \
    return static_cast<T>(                                                                         \
        ::cuda_on_cpu::warp_rendezvous({::cuda_on_cpu::WarpFunction::kind, mask, value}, caller)); \
  }
CUDA_ON_CPU_REDUCE(__reduce_add_sync, reduce_add)
CUDA_ON_CPU_REDUCE(__reduce_min_sync, reduce_min)
CUDA_ON_CPU_REDUCE(__reduce_max_sync, reduce_max)
#undef CUDA_ON_CPU_REDUCE

#define CUDA_ON_CPU_REDUCE_BITS(name, kind)                                                        \
  inline unsigned name(unsigned mask, unsigned value, CUDA_ON_CPU_CALLER) {                        \
    return static_cast<unsigned>(                                                                  \
        ::cuda_on_cpu::warp_rendezvous({::cuda_on_cpu::WarpFunction::kind, mask, value}, caller)); \
  }
CUDA_ON_CPU_REDUCE_BITS(__reduce_and_sync, reduce_and)
CUDA_ON_CPU_REDUCE_BITS(__reduce_or_sync, reduce_or)
CUDA_ON_CPU_REDUCE_BITS(__reduce_xor_sync, reduce_xor)
#undef CUDA_ON_CPU_REDUCE_BITS

#pragma GCC visibility pop
