#include "knowledge.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace cuda_on_cpu::check {
namespace {

// Fences with one reach tell of the same block to the same readers.
auto reach(const Fence &fence) { return std::tuple(fence.block_begin, fence.block_only); }
auto place(const Fence &fence) {
  return std::tuple(fence.block_begin, fence.block_only, fence.warp());
}

bool says(const Fence &one, const Fence &other) {
  if (one.epoch != other.epoch) return one.epoch > other.epoch;
  return one.warp() == other.warp() &&
         std::ranges::equal(one.seen, other.seen, std::ranges::greater_equal());
}

bool says_all_of(std::span<const Fence> all, std::span<const Fence> part) {
  auto one = all.begin();
  for (const Fence &needed : part) {
    while (one != all.end() && reach(*one) < reach(needed)) ++one;
    bool is_said = false;
    for (auto same = one; !is_said && same != all.end() && reach(*same) == reach(needed); ++same)
      is_said = says(*same, needed);
    if (!is_said) return false;
  }
  return true;
}

// `later` follows all of `fences` by its place.
void append(auto &fences, const Fence &later) {
  while (!fences.empty() && reach(fences.back()) == reach(later)) {
    Fence &last = fences.back();
    if (last.epoch > later.epoch) return;
    if (last.epoch == later.epoch) {
      if (last.warp() != later.warp()) break;
      std::ranges::transform(last.seen, later.seen, last.seen.begin(),
                             [](auto a, auto b) { return std::max(a, b); });
      return;
    }
    fences.pop_back();
  }
  fences.push_back(later);
}

}  // namespace

bool Fence::covers(const Record &earlier) const {
  if (earlier.epoch < block_begin || earlier.epoch > epoch) return false;
  if (earlier.epoch < epoch) return true;
  return warp() == earlier.thread() / 32 && seen[earlier.lane()] >= earlier.clock;
}

bool Knowledge::covers(const Record &earlier, std::uint32_t own_block) const {
  if (!fences_) return false;
  const auto after = std::ranges::upper_bound(*fences_, earlier.epoch, {}, &Fence::block_begin);
  for (auto fence = after; fence != fences_->begin();) {
    --fence;
    if (fence->block_begin != std::prev(after)->block_begin) break;
    if (fence->block_only && fence->block_begin != own_block) continue;
    if (fence->covers(earlier)) return true;
  }
  return false;
}

std::span<const Fence> Knowledge::fences() const {
  return fences_ ? std::span<const Fence>(*fences_) : std::span<const Fence>();
}

void Knowledge::learn(const Knowledge &more) {
  if (fences_ == more.fences_ || says_all_of(fences(), more.fences())) return;
  if (says_all_of(more.fences(), fences()))
    fences_ = more.fences_;
  else
    join(more.fences());
}

void Knowledge::learn(const Fence &fence) {
  const std::span<const Fence> told(&fence, 1);
  if (!says_all_of(fences(), told)) join(told);
}

void Knowledge::join(std::span<const Fence> more) {
  const std::span<const Fence> own = fences();
  Fences joined;
  joined.reserve(own.size() + more.size());
  auto one = own.begin(), other = more.begin();
  while (one != own.end() || other != more.end()) {
    const bool is_own = other == more.end() || (one != own.end() && place(*one) <= place(*other));
    append(joined, is_own ? *one++ : *other++);
  }
  fences_ = std::allocate_shared<const Fences>(Unlisted<Fences>(), std::move(joined));
}

}  // namespace cuda_on_cpu::check
