#include "work.hpp"

#include <algorithm>
#include <utility>

namespace cuda_on_cpu::check {

std::uint64_t Share::moving() const {
  constexpr std::uint64_t kForEachWord = 16;
  constexpr std::ptrdiff_t kUsualFrame = 1024;  // bytes of variables that are no copy of an array
  constexpr std::ptrdiff_t kSmallestWord = 2;
  const std::ptrdiff_t frame = high - low;
  const std::uint64_t kept = frame > kUsualFrame ? frame / kSmallestWord : 0;
  return std::min<std::uint64_t>(accesses, kForEachWord * (words + kept));
}

void WorkShares::leave_block() {
  for (Share &share : by_thread_) {
    if (share.accesses == 0) continue;
    accesses_ += share.accesses;
    busiest_ = std::max<std::uint64_t>(busiest_, share.accesses);
    mover_ = std::max(mover_, share.moving());
    ++hands_;
    share = {};
  }
}

// What a thread does before it waits for other blocks and after it counts together.
void WorkShares::put_aside(std::uint64_t block) {
  aside_[block] = by_thread_;
  by_thread_.fill({});
}

void WorkShares::take_up(std::uint64_t block) {
  leave_block();
  if (const auto kept = aside_.extract(block)) by_thread_ = kept.mapped();
}

void WorkShares::pass_grid() {
  leave_block();
  work_.accesses += accesses_;
  work_.longest += busiest_;
  work_.moving += mover_;
  work_.shared += accesses_ * hands_;
  accesses_ = hands_ = busiest_ = mover_ = 0;
}

Work WorkShares::take() { return std::exchange(work_, {}); }

}  // namespace cuda_on_cpu::check
