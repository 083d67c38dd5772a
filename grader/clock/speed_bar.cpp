#include "speed_bar.hpp"

#include <algorithm>
#include <cmath>

namespace warpwise {

constexpr double kEnoughShare = 0.05;  // of all points: closer than that is close enough
constexpr double kMargin = 1.05;       // more than new processes differ by, which is 3 % at most

double earned_share(const SpeedBar& bar, double ratio) {
  return std::clamp(std::log(bar.none / ratio) / std::log(bar.none / bar.full), 0.0, 1.0);
}

bool is_decided(const SpeedBar& bar, Interval ratio, std::size_t rounds) {
  if (rounds < kClearRounds) return false;
  if (rounds < kFewestRounds)
    return earned_share(bar, ratio.low / kMargin) == earned_share(bar, ratio.high * kMargin);
  return earned_share(bar, ratio.low) - earned_share(bar, ratio.high) <= kEnoughShare;
}

}  // namespace warpwise
