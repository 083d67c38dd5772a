// Which bytes of memory a launch has read, written and updated: what its records in the shadows
// say.
#pragma once

#include <cstdint>
#include <vector>

#include "knowledge.hpp"
#include "ledger.hpp"
#include "shadow.hpp"

namespace cuda_on_cpu::check {

struct Footprint {
  std::vector<Range> told, others;  // whoever sees the launch's flags knows the former to be over
};

// Appends what was accessed since the epoch, neighbours of one use together.
void add_footprint(Shadow &shadow, std::uint32_t since, const Told &told, Footprint &footprint);

}  // namespace cuda_on_cpu::check
