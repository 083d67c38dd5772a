// In check mode the text of device code says which large variables are a thread's own
// (compiler/own_memory.py). The compiler announces no access to a variable whose address it knows
// to go nowhere, so a thread could sort in one unseen.
#pragma once

#include <cstddef>
#include <type_traits>

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

// Defined elsewhere, so that the compiler does not know what becomes of the address.
void let_out(const volatile void *variable);

template <class T>
__attribute__((always_inline)) constexpr void own(T &variable) {
  constexpr std::size_t kLarge = 512;  // bytes; less is a thread's registers
  if constexpr (sizeof(T) >= kLarge)
    if (!std::is_constant_evaluated()) let_out(__builtin_addressof(variable));
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
