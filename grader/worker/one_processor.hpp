// Two workers that are timed in turns share one processor: processors differ.
#pragma once

#include <sched.h>

namespace warpwise {

/// Stays on it from now on, if the process may use it.
inline void stay_on_processor(int number) {
  if (number < 0 || number >= CPU_SETSIZE) return;
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(number, &only);
  sched_setaffinity(0, sizeof only, &only);
}

}  // namespace warpwise
