// Shared memory. The rewriter turns
//   __shared__ float tile[32][33];
// into
//   auto &tile = ::cuda_on_cpu::shared_variable<float[32][33]>([]{});
// and
//   extern __shared__ float values[];
// into
//   { extern ::cuda_on_cpu::Unsized<float> extern__shared__values; }
//   auto *values = ::cuda_on_cpu::dynamic_shared<float>();
// The first line lets the compiler refuse arrays of one name and two types, as nvcc does.
// The lambda has a different type at every occurrence and in every template instantiation, so each
// has its own variable, as in CUDA. No constructor is run, as in nvcc's programs: constructed.py
// warns of one that would do something.
#pragma once

#include <cstddef>
#include <type_traits>

#include "qualifiers.hpp"

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

// Dynamic shared memory is at the start of the block's arena, static variables come after it. In a
// cluster each block has another arena: `current_launch` then changes from block to block.
extern thread_local constinit char *shared_arena CUDA_ON_CPU_FAST_TLS;
extern thread_local constinit unsigned long long current_launch CUDA_ON_CPU_FAST_TLS;

struct SharedVariable {
  std::size_t bytes, element_bytes;
  unsigned extents[3];  // of an array's first three dimensions, 0 for missing ones
  const char *name;     // null when the program was compiled without it
  const char *address;
};

// `occurrence` tells the declarations of a program apart.
char *reserve_shared(SharedVariable variable, std::size_t alignment, const void *occurrence,
                     Site declaration);

// In check mode the lambda of an occurrence returns the variable's name.
template <class T, class Occurrence>
constexpr SharedVariable describe_shared(Occurrence occurrence) {
  const char *name = nullptr;
  if constexpr (!std::is_void_v<decltype(occurrence())>) name = occurrence();
  return {sizeof(T),
          sizeof(std::remove_all_extents_t<T>),
          {std::extent_v<T, 0>, std::extent_v<T, 1>, std::extent_v<T, 2>},
          name,
          nullptr};
}

template <class T, std::size_t alignment = alignof(T), class Occurrence>
CUDA_ON_CPU_UNINSTRUMENTED inline T &shared_variable(Occurrence occurrence, CUDA_ON_CPU_CALLER) {
  static thread_local constinit unsigned long long reserved_in = 0;  // launch numbers start at 1
  static thread_local constinit char *address = nullptr;
  if (reserved_in != current_launch) {
    constexpr std::size_t at_least = alignment > alignof(T) ? alignment : alignof(T);
    address = reserve_shared(describe_shared<T>(occurrence), at_least, &address, caller);
    reserved_in = current_launch;
  }
  return *reinterpret_cast<T *>(address);
}

template <class T>
using Unsized = T[];

template <class T>
inline T *dynamic_shared() {
  return reinterpret_cast<T *>(shared_arena);
}

// An extern __shared__ array at namespace scope: the address exists only inside a kernel, so every
// use asks for it. It can be cast to a pointer to any type, as an array can.
template <class T>
struct DynamicShared {
  operator T *() const { return dynamic_shared<T>(); }
  template <class Other>
  explicit operator Other *() const {
    return dynamic_shared<Other>();
  }
};

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
