// The list that findings() returns: what a checker and the runtime's own diagnostics found.
#pragma once

#include <cstddef>
#include <string>

#include "cuda_on_cpu/control.hpp"

namespace cuda_on_cpu {

// Keeps a line of report() when a checker is linked.
void keep_finding(const std::string &kind, const std::string &text);

// Adds to the last reported race what programs may want to know about it.
void describe_race(const std::string &buffer, const RacingAccess &first,
                   const RacingAccess &second);

// How often clear_findings() was called. After each call, earlier findings may be reported again.
unsigned times_cleared();

// How many findings are errors (no warnings, no leaks) and were not fetched.
std::size_t unfetched_errors();

}  // namespace cuda_on_cpu
