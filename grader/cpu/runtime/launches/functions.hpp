// What cudaFuncSetAttribute set for each kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "threads/grid.hpp"

namespace cuda_on_cpu {

// What a kernel asked for by cudaFuncSetAttribute; no bytes if it did not. `kernel` is null when a
// launch does not know its kernel's address (it deduces template arguments). Then it is what any
// kernel asked for at most.
SharedAsked shared_asked_by(const void *kernel);

// Why a grid cannot be cut into these clusters; "" if it can.
std::string cluster_misfit(const dim3 &cluster, const dim3 &grid, bool large_allowed);

// How many blocks the virtual device can hold at once: the largest grid with blocks that may wait
// for each other.
std::uint64_t co_resident_blocks(int block_size, std::size_t dynamic_shared_bytes);

}  // namespace cuda_on_cpu
