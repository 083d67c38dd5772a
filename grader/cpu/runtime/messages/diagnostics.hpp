// The "warpwise:" lines on stderr.
#pragma once

#include <string>

namespace cuda_on_cpu {

// Writes "warpwise: KIND: TEXT" as one line and remembers it for last_diagnostic().
void report(const char *kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

// For a request that makes no sense, such as an unknown WARPWISE_ORDER: reports it and exits with
// code 2.
[[noreturn]] void die(const char *kind, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

}  // namespace cuda_on_cpu
