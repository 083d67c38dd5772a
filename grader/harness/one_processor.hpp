// Two workers that are timed in turns share one processor: processors differ.
#pragma once

#include <sched.h>

namespace warpwise {

/// Stays on the last of the processors that the process may use: the first ones serve interrupts.
inline void stay_on_one_processor() {
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) != 0) return;
  int last = -1;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &usable)) last = i;
  if (last < 0) return;
  CPU_ZERO(&usable);
  CPU_SET(last, &usable);
  sched_setaffinity(0, sizeof usable, &usable);
}

}  // namespace warpwise
