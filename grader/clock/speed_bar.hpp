// What a ratio of times earns, and when it is known well enough to say so.
#pragma once

#include <cstddef>

#include "statistics.hpp"

namespace warpwise {

/// Full points up to `full` times the yardstick's time, none from `none` times on, between them by
/// the logarithm. `seconds` is what the measuring may take at most.
struct SpeedBar {
  double full;
  double none;
  double seconds;
};

/// The share of the points that a ratio earns, 0 to 1.
double earned_share(const SpeedBar& bar, double ratio);

constexpr std::size_t kClearRounds = 4;   // are enough where the points are clear
constexpr std::size_t kFewestRounds = 8;  // an interval from fewer is not to be relied on

/// An interval of ratios is decided when it does not matter which of its ratios is the true one:
/// both of its ends earn the same points, to within a twentieth of all: to know it better holds the
/// GPU for longer than the difference is worth. Before there is an interval to rely on, the points
/// are clear if even a twentieth more or less earns all, or none.
bool is_decided(const SpeedBar& bar, Interval ratio, std::size_t rounds);

}  // namespace warpwise
