// The counter functions of control.hpp. They call the counter, if one is linked.
#include "base/hooks.hpp"

namespace cuda_on_cpu {

std::vector<KernelCounters> counters() {
  if (!hooks || !hooks->counters) return {};
  return hooks->counters();
}

void reset_counters() {
  if (hooks && hooks->reset_counters) hooks->reset_counters();
}

}  // namespace cuda_on_cpu
