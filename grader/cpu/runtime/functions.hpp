// What cudaFuncSetAttribute set for each kernel.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuda_on_cpu {

// Bytes of dynamic plus static shared memory that a kernel may use. `kernel` is null when a launch
// does not know its kernel's address (it deduces template arguments). Then the largest limit that
// any kernel asked for applies.
std::size_t shared_limit_of(const void *kernel);

// How many blocks the virtual device can hold at once: the largest grid with blocks that may wait
// for each other.
std::uint64_t co_resident_blocks(int block_size, std::size_t dynamic_shared_bytes);

}  // namespace cuda_on_cpu
