// Where in the program's text a crash happened.
#pragma once

namespace cuda_on_cpu {

// " at FILE:LINE" of the innermost function that is the program's own, or "". For a signal handler:
// it allocates nothing, for the crash may have come in the middle of malloc(). `context` is the
// handler's.
const char *crash_line(const void *context);

// What the processor was about to execute.
const void *instruction_of(const void *context);

// Whether the program or a library of it is there. Not so after a call through a wrong pointer.
bool is_code(const void *instruction);

// Whether a call or a jump through a pointer is at `instruction`, which is_code().
bool goes_by_pointer(const void *instruction);

// To be called once before: the first walk through a stack loads a library.
void prepare_crash_lines();

}  // namespace cuda_on_cpu
