// The list behind findings(): what a checker and the runtime's own diagnostics found.
#pragma once

#include <cstddef>
#include <string>

namespace cuda_on_cpu {

// Keeps a line of report() when a checker is linked.
void keep_finding(const std::string &kind, const std::string &text);

// Grows with every clear_findings(): from then on, what was reported before may be reported again.
unsigned times_cleared();

// How many findings speak against the program (no warnings, no leaks) and were not fetched.
std::size_t unfetched_errors();

}  // namespace cuda_on_cpu
