// Counts for launch_statistics() what happens outside of launches; and what was launched last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cuda_on_cpu {

void count_copy_to_host(const void *from, std::size_t bytes);
void count_copies_to_host(std::span<const std::span<const char>> copies);
void count_allocation();  // by host code, of memory that kernels use

// The last launch of the host: its kernel, the number of launches up to it and the seconds in which
// they were made, both since statistics were last reset, and the seconds since it began. It takes
// no lock: a signal handler asks.
struct LastLaunch {
  const char *kernel;
  std::uint64_t number;
  double all_seconds, seconds;
};
LastLaunch last_launch_made();

// The number of a launch that begins now. Numbers differ, also after a reset: last_launch_made()
// counts from count_launches_anew() on.
std::uint64_t note_launch(const char *kernel);
void count_launches_anew();

}  // namespace cuda_on_cpu
