// Object files of check mode are linked with the counter, too. What their bounds checks find is the
// checker's to report.
#include <cstdint>

extern "C" void __ubsan_handle_out_of_bounds(const void *, std::uintptr_t) {}
extern "C" void __ubsan_handle_shift_out_of_bounds(const void *, std::uintptr_t, std::uintptr_t) {}
