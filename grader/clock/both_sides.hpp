// A comparison's calls, the same for both sides, and the times that both took for them.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "batch.hpp"

namespace warpwise {

/// Fresh calls for both sides: the same inputs, since both benches make them from the same seed.
struct Batch {
  std::vector<TimedCall> for_a, for_yardstick;  // the second is empty where both get the same calls

  std::span<const TimedCall> a() const { return for_a; }
  std::span<const TimedCall> yardstick() const {
    return for_yardstick.empty() ? for_a : for_yardstick;
  }
};

/// Both sides' times for the calls of one Batch.
struct Pair {
  BatchTimes a, yardstick;

  double log_ratio() const { return std::log(a.judge_seconds / yardstick.judge_seconds); }
  double later() const { return a.copy_seconds - yardstick.copy_seconds; }
};

}  // namespace warpwise
