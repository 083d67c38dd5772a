// Which bytes of the device's memory AddressSanitizer must report when they are accessed.
#pragma once

#include <cstddef>
#include <string>

namespace cuda_on_cpu::asan {

// Shared memory has red zones only while threads of a block run. At other times the runtime saves
// and refills it as a whole.
void set_shared_zones(bool forbidden);

// "4 bytes past the end of a cudaMalloc buffer of 400 bytes"; "" for memory of another kind.
std::string describe(const char *address);

}  // namespace cuda_on_cpu::asan
