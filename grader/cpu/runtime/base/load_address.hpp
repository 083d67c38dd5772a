// Where the program was loaded: the difference between an address in its file and in memory.
#pragma once

#include <link.h>

#include <cstdint>

namespace cuda_on_cpu {

inline std::uintptr_t load_address() {
  std::uintptr_t base = 0;
  dl_iterate_phdr(
      [](dl_phdr_info *info, std::size_t, void *result) {
        *static_cast<std::uintptr_t *>(result) = info->dlpi_addr;
        return 1;  // the program itself comes first
      },
      &base);
  return base;
}

}  // namespace cuda_on_cpu
