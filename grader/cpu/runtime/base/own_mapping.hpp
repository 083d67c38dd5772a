// Memory that opens and closes at every launch.
#pragma once

#include <sys/mman.h>

#include <cstddef>

namespace cuda_on_cpu {

// Makes these pages a mapping of their own, by a flag that their neighbours do not have. Otherwise
// Linux splits and joins mappings each time, which takes longer than all the rest of mprotect().
inline void make_own_mapping(void *pages, std::size_t bytes) {
  madvise(pages, bytes, MADV_DONTDUMP);
}

}  // namespace cuda_on_cpu
