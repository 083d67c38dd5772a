// Atomic functions, for exactly the types that CUDA offers: what nvcc refuses is refused here too.
#pragma once

#include <concepts>
#include <type_traits>

#include "qualifiers.hpp"
#include "vector_types.hpp"

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

template <class T, class... Allowed>
concept OneOf = (std::same_as<T, Allowed> || ...);
template <class T>
concept AtomicAddable = OneOf<T, int, unsigned, unsigned long long, float, double>;
template <class T>
concept AtomicSubtractable = OneOf<T, int, unsigned>;
template <class T>
concept AtomicExchangeable = OneOf<T, int, unsigned, unsigned long long, float>;
template <class T>
concept AtomicComparable = OneOf<T, int, unsigned, long long, unsigned long long>;
template <class T>
concept AtomicBits = OneOf<T, int, unsigned, unsigned long long>;
template <class T>
concept AtomicSwappable = OneOf<T, int, unsigned, unsigned long long, unsigned short>;

// `reads`: the outcome depends on the old value. An exchange may be the first write. `loads`: it
// does no more. `acquires`: its thread knows at once what others have published there, not from its
// next fence on. `swaps`: it may take a lock.
struct AtomicStep {
  bool reads = true, loads = false, acquires = true, swaps = false;
};
void note_atomic(const void *address, unsigned bytes, AtomicStep step, const void *return_address);
// The atomic before has changed nothing: the thread has looked only.
void note_look(const void *address);
void note_compare(const void *address, unsigned bytes);
// What a thread exchanges it has often made from what it read before. In other orders than forward
// the others come in between, twice in each thread of a block.
void give_way(const void *address);

// Relaxed, as CUDA's atomics are: order comes from __threadfence().
template <class T, class Change>
CUDA_ON_CPU_UNINSTRUMENTED inline T atomic_update(T *address, Change change,
                                                  [[maybe_unused]] AtomicStep step = {}) {
#ifdef CUDA_ON_CPU_INSTRUMENTED
  note_atomic(address, sizeof(T), step, __builtin_return_address(0));
#endif
  T before, after;
  __atomic_load(address, &before, __ATOMIC_RELAXED);
  do after = change(before);
  while (!__atomic_compare_exchange(address, &before, &after, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED));
#ifdef CUDA_ON_CPU_INSTRUMENTED
  if (__builtin_memcmp(&before, &after, sizeof before) == 0) note_look(address);
#endif
  return before;
}

// The only atomic that has its own instruction here: histograms and queues depend on its speed.
template <std::integral T>
CUDA_ON_CPU_UNINSTRUMENTED inline T atomic_add(T *address, T value) {
#ifdef CUDA_ON_CPU_INSTRUMENTED
  note_atomic(address, sizeof(T), {}, __builtin_return_address(0));
#endif
  const T before = __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
#ifdef CUDA_ON_CPU_INSTRUMENTED
  if (value == T{}) note_look(address);
#endif
  return before;
}

}  // namespace cuda_on_cpu

template <::cuda_on_cpu::AtomicAddable T>
inline T atomicAdd(T *address, std::type_identity_t<T> value) {
  if constexpr (std::integral<T>)
    return ::cuda_on_cpu::atomic_add(address, value);
  else
    return ::cuda_on_cpu::atomic_update(address, [value](T old) { return old + value; });
}

// Each component by itself, as CUDA promises.
inline float2 atomicAdd(float2 *address, float2 value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}
inline float4 atomicAdd(float4 *address, float4 value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y),
          atomicAdd(&address->z, value.z), atomicAdd(&address->w, value.w)};
}

template <::cuda_on_cpu::AtomicSubtractable T>
inline T atomicSub(T *address, std::type_identity_t<T> value) {
  return ::cuda_on_cpu::atomic_add(address, static_cast<T>(0u - static_cast<unsigned>(value)));
}

#define CUDA_ON_CPU_ATOMIC(name, Allowed, expression)                          \
  template <::cuda_on_cpu::Allowed T>                                          \
  inline T name(T *address, std::type_identity_t<T> value) {                   \
    return ::cuda_on_cpu::atomic_update(                                       \
        address, [value]([[maybe_unused]] T old) -> T { return expression; }); \
  }
CUDA_ON_CPU_ATOMIC(atomicMin, AtomicComparable, value < old ? value : old)
CUDA_ON_CPU_ATOMIC(atomicMax, AtomicComparable, value > old ? value : old)
CUDA_ON_CPU_ATOMIC(atomicAnd, AtomicBits, old &value)
CUDA_ON_CPU_ATOMIC(atomicOr, AtomicBits, old | value)
CUDA_ON_CPU_ATOMIC(atomicXor, AtomicBits, old ^ value)
#undef CUDA_ON_CPU_ATOMIC

template <::cuda_on_cpu::AtomicExchangeable T>
inline T atomicExch(T *address, std::type_identity_t<T> value) {
  ::cuda_on_cpu::give_way(address);
  return ::cuda_on_cpu::atomic_update(
      address, [value](T) { return value; }, {.reads = false, .swaps = true});
}

template <::cuda_on_cpu::AtomicSwappable T>
inline T atomicCAS(T *address, std::type_identity_t<T> compare, std::type_identity_t<T> value) {
#ifdef CUDA_ON_CPU_INSTRUMENTED
  ::cuda_on_cpu::note_compare(address, sizeof(T));  // others have not run since its thread read it
#endif
  ::cuda_on_cpu::give_way(address);
  return ::cuda_on_cpu::atomic_update(
      address, [=](T old) { return old == compare ? value : old; }, {.swaps = true});
}

inline unsigned atomicInc(unsigned *address, unsigned limit) {
  return ::cuda_on_cpu::atomic_update(
      address, [limit](unsigned old) { return old >= limit ? 0u : old + 1; });
}
inline unsigned atomicDec(unsigned *address, unsigned limit) {
  return ::cuda_on_cpu::atomic_update(
      address, [limit](unsigned old) { return old == 0 || old > limit ? limit : old - 1; });
}

namespace cuda_on_cpu {

// While it lives, a checker takes atomics as atomic among the threads of the block only.
void narrow_atomics(bool narrow);
struct BlockScope {
#ifdef CUDA_ON_CPU_INSTRUMENTED
  BlockScope() { narrow_atomics(true); }
  ~BlockScope() { narrow_atomics(false); }
#endif
};
// The same for the scopes of cuda::atomic: in check mode, its functions get one (see rewrite.py).
template <class Tag>
struct AtomicScope {};

}  // namespace cuda_on_cpu

// All scopes, narrower and wider, are the same memory here.
#define CUDA_ON_CPU_SCOPES(name)                                                          \
  template <class T, class... Value>                                                      \
  requires requires(T * address, Value... values) { name(address, values...); }           \
  inline T name##_block(T *address, Value... values) {                                    \
    [[maybe_unused]] const ::cuda_on_cpu::BlockScope scope;                               \
    return name(address, values...);                                                      \
  }                                                                                       \
  template <class T, class... Value>                                                      \
  requires requires(T * address, Value... values) { name(address, values...); }           \
  inline T name##_system(T *address, Value... values) { return name(address, values...); }
CUDA_ON_CPU_SCOPES(atomicAdd)
CUDA_ON_CPU_SCOPES(atomicSub)
CUDA_ON_CPU_SCOPES(atomicExch)
CUDA_ON_CPU_SCOPES(atomicMin)
CUDA_ON_CPU_SCOPES(atomicMax)
CUDA_ON_CPU_SCOPES(atomicAnd)
CUDA_ON_CPU_SCOPES(atomicOr)
CUDA_ON_CPU_SCOPES(atomicXor)
CUDA_ON_CPU_SCOPES(atomicInc)
CUDA_ON_CPU_SCOPES(atomicDec)
CUDA_ON_CPU_SCOPES(atomicCAS)
#undef CUDA_ON_CPU_SCOPES

#pragma GCC visibility pop
