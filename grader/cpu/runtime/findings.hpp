// The list behind findings(): what a checker and the runtime's own diagnostics found.
#pragma once

#include <cstddef>
#include <string>

#include "cuda_on_cpu/control.hpp"

namespace cuda_on_cpu {

// Keeps a line of report() when a checker is linked.
void keep_finding(const std::string &kind, const std::string &text);

// What programs may want to know of the race that was reported last.
void describe_race(const std::string &buffer, const RacingAccess &first,
                   const RacingAccess &second);

// Grows with every clear_findings(): from then on, what was reported before may be reported again.
unsigned times_cleared();

// How many findings speak against the program (no warnings, no leaks) and were not fetched.
std::size_t unfetched_errors();

}  // namespace cuda_on_cpu
