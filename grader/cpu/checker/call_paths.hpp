// By which calls a thread came to a barrier. All threads of a block have to come by the same ones:
//
//   if (t < 32) reduce(a);  // a __syncthreads() in reduce() is two barriers
//   else reduce(b);
//
// A path is a chain of return addresses, found by frame pointers. Compilers make several copies of
// one line, so chains that differ are asked for their lines. That takes long and happens rarely:
// most barriers have one chain.
#pragma once

#include "cuda_runtime.h"

namespace cuda_on_cpu::check {

// A number for the calls that lead to a barrier, the same for the same lines. `frame` is that of
// the function to which `return_address` returns.
unsigned call_path(Site barrier, const void *return_address, const void *frame);

// The line of `path` that is different in `other`.
const char *line_of_path(unsigned path, unsigned other);

}  // namespace cuda_on_cpu::check
