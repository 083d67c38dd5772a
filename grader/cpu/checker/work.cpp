#include "work.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace cuda_on_cpu::check {

// So many bits are set if so many marks were made in them, on average.
std::uint64_t WrittenPlaces::count() const {
  constexpr double kBits = 128, kOneIn = 16;
  const int set = std::popcount(marks_[0]) + std::popcount(marks_[1]);
  return static_cast<std::uint64_t>(-kOneIn * kBits * std::log1p(-std::min(set, 127) / kBits));
}

std::uint64_t Share::kept_words() const {
  constexpr std::ptrdiff_t kUsualFrame = 1024;  // bytes of variables that are no copy of an array
  constexpr std::ptrdiff_t kSmallestWord = 2;
  const std::ptrdiff_t frame = high - low;
  return frame > kUsualFrame ? frame / kSmallestWord : 0;
}

std::uint64_t Share::moving() const {
  return std::min<std::uint64_t>(accesses, kForEachWord * (words + kept_words()));
}

std::uint64_t Share::wide() const {
  constexpr std::uint64_t kForEachPlace = 32;
  return std::min<std::uint64_t>(accesses, kForEachPlace * (places.count() + kept_words()));
}

void WorkShares::begin_launch() {
  by_thread_.fill({});
  passed_ = reached_ = cluster_passed_ = cluster_reached_ = {};
  aside_.clear();
  flags_.clear();
}

void WorkShares::pass_barrier(unsigned threads) {
  for (unsigned thread = 0; thread < threads; ++thread) reached_.join(settle(thread));
  passed_ = reached_;
}

void WorkShares::synchronise_lanes(unsigned warp, unsigned lanes) {
  const auto for_each = [&](auto visit) {
    for (unsigned left = lanes; left; left &= left - 1)
      visit(by_thread_[warp * 32 + static_cast<unsigned>(std::countr_zero(left))]);
  };
  Chain longest;
  for_each([&](Share &share) { longest.join(share.settle(passed_)); });
  for_each([&](Share &share) { share.chain = longest; });
}

void WorkShares::begin_cluster() {
  leave_block();
  passed_ = reached_ = cluster_passed_ = cluster_reached_ = {};
}

void WorkShares::pass_cluster() {
  leave_block(true);
  passed_ = reached_ = cluster_passed_ = cluster_reached_;
}

void WorkShares::leave_block(bool goes_on) {
  for (Share &share : by_thread_) {
    if (share.accesses == 0) {
      if (share.chain.accesses) share.chain = {};
      continue;
    }
    reached_.join(share.settle(passed_));
    accesses_ += share.accesses;
    busiest_ = std::max<std::uint64_t>(busiest_, share.accesses);
    mover_ = std::max(mover_, share.moving());
    if (share.accesses > work_.widest) work_.widest = std::max(work_.widest, share.wide());
    ++hands_;
    const WrittenPlaces places = goes_on ? share.places : WrittenPlaces{};
    share = {};
    share.places = places;
  }
  chain_ = std::max<std::uint64_t>(chain_, reached_.accesses);
  mover_ = std::max<std::uint64_t>(mover_, reached_.moving);
  cluster_reached_.join(reached_);
  passed_ = reached_ = cluster_passed_;
}

// What a thread does before it waits for other blocks and after it counts together.
void WorkShares::put_aside(std::uint64_t block) {
  aside_[block] = {by_thread_, passed_, reached_};
  by_thread_.fill({});
  passed_ = reached_ = cluster_passed_;
}

void WorkShares::take_up(std::uint64_t block) {
  leave_block();
  const auto kept = aside_.extract(block);
  if (!kept) return;
  by_thread_ = kept.mapped().by_thread;
  passed_ = kept.mapped().passed, reached_ = kept.mapped().reached;
}

void WorkShares::pass_grid() {
  leave_block(true);
  work_.accesses += accesses_;
  work_.longest += busiest_;
  work_.moving += mover_;
  work_.chain += chain_;
  work_.shared += accesses_ * hands_;
  accesses_ = hands_ = busiest_ = mover_ = chain_ = 0;
  passed_ = reached_ = cluster_passed_ = cluster_reached_ = {};
  flags_.clear();
}

Work WorkShares::take() { return std::exchange(work_, {}); }

}  // namespace cuda_on_cpu::check
