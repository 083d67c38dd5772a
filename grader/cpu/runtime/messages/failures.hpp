// Failing calls: why they failed, and which of them the program never looked at.
#pragma once

#include <string>

#include "cuda_runtime.h"

namespace cuda_on_cpu {

// What is wrong with the call that is about to fail: "2,048 threads per block; at most 1,024".
void explain(const std::string &reason);

void remember_failure(cudaError_t error);  // of the call that explain() was about, if it was called
void add_place(const std::string &call, Site site);  // of that failure; nobody has looked at it yet
void failures_are_known();    // the program has asked for the last error
void report_unchecked_calls();  // as findings; for a checker

std::string with_commas(unsigned long long number);  // 2,048

}  // namespace cuda_on_cpu
