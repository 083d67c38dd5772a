// How many threads are worth starting.
#pragma once

#include <sched.h>

#include <algorithm>
#include <thread>

namespace datasets {

/// The number of processors that this process may use, at least 1. On a shared machine that is
/// fewer than std::thread::hardware_concurrency() counts.
inline int usable_processors() {
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) == 0) return std::max(1, CPU_COUNT(&usable));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));  // more than 1024
}

}  // namespace datasets
