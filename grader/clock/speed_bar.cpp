#include "speed_bar.hpp"

#include <algorithm>
#include <cmath>

namespace warpwise {

constexpr double kSameShare = 0.02;  // of all points: closer than that is the same

double earned_share(const SpeedBar& bar, double ratio) {
  return std::clamp(std::log(bar.none / ratio) / std::log(bar.none / bar.full), 0.0, 1.0);
}

bool is_decided(const SpeedBar& bar, Interval ratio) {
  return earned_share(bar, ratio.low) - earned_share(bar, ratio.high) <= kSameShare;
}

}  // namespace warpwise
