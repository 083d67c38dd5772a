// Counts for launch_statistics() what happens outside of launches; and what was launched last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cuda_on_cpu {

void count_copy_to_host(const void *from, std::size_t bytes);
void count_copies_to_host(std::span<const std::span<const char>> copies);

// The last launch of the host: its kernel, the number of launches up to it, the seconds since it
// began. It takes no lock: a signal handler asks.
struct LastLaunch {
  const char *kernel;
  std::uint64_t number;
  double seconds;
};
LastLaunch last_launch_made();

}  // namespace cuda_on_cpu
