// Everything the counter knows. One kernel runs at a time, on one operating-system thread, so
// nothing here needs a lock.
#pragma once

#include <array>
#include <cstddef>

#include "cuda_on_cpu/control.hpp"
#include "matching.hpp"
#include "tally.hpp"

namespace cuda_on_cpu::count {

struct Counter {
  Kernels kernels;
  Kernel *kernel = nullptr;  // the running one
  std::array<Warp, 32> warps;
  unsigned warp_count = 0;                                    // in a block of the kernel
  const char *shared_begin = nullptr, *shared_end = nullptr;  // the part in use
  bool in_clusters = false;  // of this launch
  // __constant__ variables hold, or may hold, what was in device memory: then they count like it.
  bool constants_are_copies = false;
};

extern Counter *the_counter;
inline Counter &counter() { return *the_counter; }

// Of a worker, whose linker script joins all __constant__ variables. Elsewhere nothing is known of
// them.
bool is_constant(const char *address);

// A texture or surface unit has read this for the current thread.
void count_fetch(const void *texel, std::size_t bytes, const void *return_address);
std::vector<KernelCounters> summary();  // of all kernels, by line of the source
void report_all();  // the tables, and the JSON file that the environment asks for

}  // namespace cuda_on_cpu::count
