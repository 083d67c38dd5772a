// The shared memory of the block that runs, and of those that wait for others meanwhile. See
// hooks.hpp: runtime/threads/parked_blocks.cpp calls the last two.
#pragma once

#include <cstddef>

namespace cuda_on_cpu::check {

// of a new block: nobody has written
void begin_shared(const char *arena, std::size_t dynamic_bytes);
void block_put_aside(unsigned long long block);
void block_taken_up(unsigned long long block);

}  // namespace cuda_on_cpu::check
