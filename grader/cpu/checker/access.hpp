// One access of a kernel to memory, from the compiler's call to the verdict.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/kernel_runs.hpp"
#include "cuda_runtime.h"
#include "record.hpp"

namespace cuda_on_cpu::check {

struct Access {
  const char *address;
  std::size_t bytes;
  bool reads, writes;
  Strength strength = Strength::plain;
  bool may_be_unaligned = false;
  bool whole_object = false;  // a struct is copied, with padding that is never written
  std::size_t alignment = 16;  // of its type, at most: a GPU copies it in pieces of so many bytes
};

// Count mode has its own version: its library takes tsan_abi.cpp but not access.cpp.
void check_access(const Access &access, const void *return_address);
// A thread gives back a block of the heap.
void note_freed(const Access &access, std::uint32_t site);
// What a texture fetch reads, where that is a buffer. The fetch itself is counted by note_fetch().
void check_texel(const Access &access, const void *return_address);
// The same for nearly every access: plain, of 1, 2, 4, 8 or 16 bytes. See quick_access.cpp.
template <std::size_t bytes, bool writes>
void check_plain(const char *address, const void *return_address);
// For the file that defines it.
#define CUDA_ON_CPU_PLAIN(bytes)                                        \
  template void check_plain<bytes, false>(const char *, const void *); \
  template void check_plain<bytes, true>(const char *, const void *);
#define CUDA_ON_CPU_PLAIN_ACCESSES                            \
  CUDA_ON_CPU_PLAIN(1) CUDA_ON_CPU_PLAIN(2) CUDA_ON_CPU_PLAIN(4) \
  CUDA_ON_CPU_PLAIN(8) CUDA_ON_CPU_PLAIN(16)

// Accesses of host code, while they are worth a look.
extern bool watches_host;
// Has work that may still run set flags? Then others learn from them.
extern bool work_tells;
void learn_from_work(const void *flag, std::size_t bytes);
void check_host_access(const Access &access, const void *return_address);

// threadIdx, the other index variables and the address of dynamic shared memory are side by side.
// Their distances from each other are the same in every operating-system thread.
struct IndexVariables {
  std::ptrdiff_t first;  // from threadIdx
  std::size_t bytes;
};
extern const IndexVariables index_variables;

inline bool is_index_variable(const void *address) {
  const char *begin = reinterpret_cast<const char *>(&threadIdx) + index_variables.first;
  return static_cast<std::size_t>(static_cast<const char *>(address) - begin) <
         index_variables.bytes;
}

// Half of all calls come from reading threadIdx or from host code. They have to end early.
inline bool is_of_interest(const void *address) {
  return kernel_runs && !is_index_variable(address);
}

}  // namespace cuda_on_cpu::check
