// Memory that is freed stays with the process. Images of several megabytes come and go with every
// call that is timed, and getting their pages from the system anew takes longer than filling them.
#pragma once

#include <malloc.h>

namespace warpwise {

inline void keep_freed_memory() {
  constexpr int kLargest = 1 << 29;
  mallopt(M_MMAP_THRESHOLD, kLargest);
  mallopt(M_TRIM_THRESHOLD, kLargest);
}

}  // namespace warpwise
