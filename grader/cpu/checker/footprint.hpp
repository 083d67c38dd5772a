// Which bytes of memory a launch has read, written and updated: what its records in the shadows
// say.
#pragma once

#include <cstdint>
#include <vector>

#include "ledger.hpp"
#include "shadow.hpp"

namespace cuda_on_cpu::check {

// Appends what was accessed since the epoch, neighbours of one use together.
void add_footprint(Shadow &shadow, std::uint32_t since, std::vector<Range> &ranges);

}  // namespace cuda_on_cpu::check
