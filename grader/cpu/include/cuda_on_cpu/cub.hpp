// What the headers of cub/ share. They have the interface that cub's public documentation
// describes, in plain code: a primitive of a block meets at barriers and looks at what the others
// left in its TempStorage, one of the device is a kernel. Nothing here is made for speed.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include "library_kernel.hpp"

#pragma GCC visibility push(default)

namespace cuda_on_cpu {
// The launch ends with an error: the block is not of the size that the primitive was made for.
[[noreturn]] void break_block_size(const char *primitive, dim3 made_for, Site site);
// The error for a function that has too little temporary storage.
cudaError_t too_few_bytes(std::size_t given, std::size_t needed);
}  // namespace cuda_on_cpu

CUDA_ON_CPU_WATCHED(extern "C" {
  void __tsan_read1(void *);
  void __tsan_write1(void *);
})

namespace cub {

struct NullType {};

namespace detail {

// Objects that nobody constructs, so a program may have them in a union.
template <class T, int count>
struct Room {
  alignas(T) unsigned char bytes[count * sizeof(T)];
  CUDA_ON_CPU_LIBRARY T &operator[](int i) { return reinterpret_cast<T *>(bytes)[i]; }
};

// The beginning of every TempStorage. A call of a primitive that uses it writes the first byte
// before its first barrier, and all threads read it after the last one. So a checker sees where a
// program uses a TempStorage again, and has no barrier between.
struct Storage {
  unsigned char used;
  CUDA_ON_CPU_LIBRARY void begin([[maybe_unused]] int rank) {
    CUDA_ON_CPU_WATCHED(if (rank == 0) __tsan_write1(&used);)
  }
  CUDA_ON_CPU_LIBRARY void end() { CUDA_ON_CPU_WATCHED(__tsan_read1(&used);) }
};

// Of primitives that were given none.
template <class TempStorage>
CUDA_ON_CPU_LIBRARY TempStorage &own_storage() {
  return ::cuda_on_cpu::shared_variable<TempStorage>([] { return "TempStorage"; });
}

// A thread's place in a block that has these extents.
template <int X, int Y, int Z>
CUDA_ON_CPU_LIBRARY int rank_in_block(const char *primitive, ::cuda_on_cpu::Site site) {
  if (blockDim.x != X || blockDim.y != Y || blockDim.z != Z) [[unlikely]]
    ::cuda_on_cpu::break_block_size(primitive, dim3(X, Y, Z), site);
  return static_cast<int>(threadIdx.x + X * (threadIdx.y + Y * threadIdx.z));
}

CUDA_ON_CPU_LIBRARY unsigned thread_of_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

// What an iterator gives; of one that only takes, `Otherwise`.
template <class Iterator, class Otherwise = void>
struct ValueType {
  using Read = std::remove_cvref_t<decltype(*std::declval<Iterator &>())>;
  using Type = Read;
};
template <class Iterator, class Otherwise>
requires requires { typename std::iterator_traits<Iterator>::value_type; }
struct ValueType<Iterator, Otherwise> {
  using Read = std::remove_cv_t<typename std::iterator_traits<Iterator>::value_type>;
  using Type = std::conditional_t<std::is_void_v<Read>, Otherwise, Read>;
};
template <class Iterator, class Otherwise = void>
using ValueOf = typename ValueType<Iterator, Otherwise>::Type;

}  // namespace detail
}  // namespace cub

// A primitive's constructors, and what they find out.
#define CUDA_ON_CPU_CUB_BLOCK(name, X, Y, Z)                                   \
 private:                                                                      \
  TempStorage &temp_;                                                          \
  const int rank_;                                                             \
                                                                               \
 public:                                                                       \
  CUDA_ON_CPU_LIBRARY name(CUDA_ON_CPU_CALLER)                                 \
      : temp_(::cub::detail::own_storage<TempStorage>()),                      \
        rank_(::cub::detail::rank_in_block<X, Y, Z>("cub::" #name, caller)) {} \
  CUDA_ON_CPU_LIBRARY explicit name(TempStorage &temp, CUDA_ON_CPU_CALLER)     \
      : temp_(temp), rank_(::cub::detail::rank_in_block<X, Y, Z>("cub::" #name, caller)) {}

#pragma GCC visibility pop
