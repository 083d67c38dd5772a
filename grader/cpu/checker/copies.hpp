// Copies between host and device: what they read of the host's heap, and bytes that nobody wrote.
//
// Bytes that no kernel wrote may be copied to the host, as long as the host does not read them: a
// program may copy a whole buffer of which it uses a part. Between buffers of the device they stay
// unwritten.
#pragma once

#include <cstddef>
#include <cstdint>

#include "access.hpp"

namespace cuda_on_cpu::check {

// Returns how many of the bytes may be copied.
std::size_t note_copy(void *to, const void *from, std::size_t bytes, const void *caller);

void note_rows(const void *to, const void *from, std::size_t pitch, std::size_t width,
               std::size_t rows, const void *caller);

// The word there is the address of a table of virtual functions: an object of the program's begins
// there.
bool holds_virtual_table(const char *address);

// The host accesses memory.
void check_unwritten(const Access &access, const void *return_address);

}  // namespace cuda_on_cpu::check
