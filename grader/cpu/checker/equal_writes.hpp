// Two threads that write the same value to one place do no harm on a real device. The compiler
// announces a write before it happens, so the written value is not known yet: the decision waits
// for the next event.
#pragma once

#include "report.hpp"

namespace cuda_on_cpu::check {

void decide_when_written(const Race &race);
void settle_now();

extern bool writes_are_open;
inline void settle_equal_writes() {
  if (writes_are_open) settle_now();
}

}  // namespace cuda_on_cpu::check
