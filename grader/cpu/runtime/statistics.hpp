// Counts for launch_statistics() what happens outside of launches.
#pragma once

#include <cstddef>

namespace cuda_on_cpu {

void count_copy_to_host(const void *from, std::size_t bytes);

}  // namespace cuda_on_cpu
