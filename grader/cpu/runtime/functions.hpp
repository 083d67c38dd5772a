// What cudaFuncSetAttribute said about each kernel.
#pragma once

#include <cstddef>

namespace cuda_on_cpu {

// Bytes of dynamic plus static shared memory that a kernel may use. `kernel` is null when a launch
// does not know its kernel's address (it deduces template arguments): then the largest limit any
// kernel asked for holds.
std::size_t shared_limit_of(const void *kernel);

}  // namespace cuda_on_cpu
