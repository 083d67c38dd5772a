// The fences around local arrays: see cuda_on_cpu/local_array.hpp.
#pragma once

#include "access.hpp"
#include "cuda_on_cpu/local_array.hpp"

namespace cuda_on_cpu::check {

// The name of the local array that an access to the stack has left; null if it meets no fence.
const char *array_left_by(const Access &access);
// Does it read what was a local array, by a pointer that somebody has kept?
bool reads_array_that_is_gone(const Access &access);

}  // namespace cuda_on_cpu::check
