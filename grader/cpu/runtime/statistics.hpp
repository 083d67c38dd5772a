// Counts for launch_statistics() what happens outside of launches.
#pragma once

#include <cstddef>
#include <span>

namespace cuda_on_cpu {

void count_copy_to_host(const void *from, std::size_t bytes);
void count_copies_to_host(std::span<const std::span<const char>> copies);

}  // namespace cuda_on_cpu
