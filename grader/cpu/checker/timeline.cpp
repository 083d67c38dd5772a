#include "timeline.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace cuda_on_cpu::check {
namespace {

void for_each_lane(unsigned lanes, auto visit) {
  for (; lanes; lanes &= lanes - 1) visit(static_cast<unsigned>(__builtin_ctz(lanes)));
}

const auto before = [](const auto &one, const auto &other) {
  return std::less<const void *>()(one.flag, other.flag);
};

}  // namespace

void Timeline::begin_launch() {
  pass_grid();
  is_child_ = false;
  origins_.clear();
  grids_.assign(1, {epoch_, kNone});
}

void Timeline::pass_grid() {
  launch_begin_ = block_begin_ = epoch_ = ++last_epoch_;
  own_end_ = 0;
  any_waits_ = false;
  aside_.clear();
  blocks_.clear();
  any_fence_ = false;
  flags_.clear();
  released_.clear();
}

void Timeline::begin_block(std::uint64_t block) {
  forget_clocks();
  block_begin_ = epoch_ = ++last_epoch_;
  own_end_ = 0;
  blocks_.emplace_back(epoch_, block);
  fences_.clear();
  thread_knows_.clear();
  block_knows_.clear();
}

void Timeline::barrier() {
  forget_clocks();
  if (epoch_ == own_end_) end_of_epochs();
  last_epoch_ = std::max(last_epoch_, ++epoch_);
  for (const auto &[thread, known] : thread_knows_) learn(block_knows_, known);
  thread_knows_.clear();
}

// Epochs order what is before a barrier, so clocks start again after it.
void Timeline::forget_clocks() {
  for_each_lane(warps_with_clocks_,
                [&](unsigned warp) { std::fill_n(seen_ + warp * 32, 32, Clocks{}); });
  warps_with_clocks_ = 0;
}

void Timeline::synchronise_lanes(unsigned warp, unsigned lanes) {
  warps_with_clocks_ |= 1u << warp;
  Clocks *row = seen_ + warp * 32;
  for_each_lane(lanes, [&](unsigned lane) { row[lane][lane] += row[lane][lane] < kFullClock; });
  Clocks joined{};
  for_each_lane(lanes, [&](unsigned lane) {
    for (unsigned i = 0; i < 32; ++i) joined[i] = std::max(joined[i], row[lane][i]);
  });
  for_each_lane(lanes, [&](unsigned lane) { row[lane] = joined; });
  if (any_fence_) share_fences(warp, lanes);
  if (thread_knows_.empty()) return;
  Knowledge known;
  for_each_lane(lanes, [&](unsigned lane) { learn(known, thread_knows_[warp * 32 + lane]); });
  for_each_lane(lanes, [&](unsigned lane) { thread_knows_[warp * 32 + lane] = known; });
}

// Each lane has called a fence, then they meet, then one of them writes the flag: its write publishes
// what any of these fences covers.
void Timeline::share_fences(unsigned warp, unsigned lanes) {
  Fence shared;
  const auto own = [&](unsigned lane) -> const Fence * {
    const auto found = fences_.find(warp * 32 + lane);
    return found == fences_.end() || found->second.epoch < epoch_ ? nullptr : &found->second;
  };
  for_each_lane(lanes, [&](unsigned lane) {
    const Fence *one = own(lane);
    if (!one) return;
    shared.epoch = epoch_;
    shared.block_only |= one->block_only;
    for (unsigned i = 0; i < 32; ++i) shared.seen[i] = std::max(shared.seen[i], one->seen[i]);
  });
  if (!shared.epoch) return;
  for_each_lane(lanes, [&](unsigned lane) {
    const Fence *one = own(lane);
    if (one && one->block_only < shared.block_only) return;  // a wider one of its own
    const unsigned thread = warp * 32 + lane;
    fences_[thread] = {block_begin_, epoch_, thread, shared.seen, shared.block_only};
  });
}

// ---- fences and flags ---------------------------------------------------------------------------

bool Timeline::Fence::covers(const Record &earlier) const {
  if (earlier.epoch < block_begin || earlier.epoch > epoch) return false;
  if (earlier.epoch < epoch) return true;
  return thread / 32 == earlier.thread() / 32 && seen[earlier.lane()] >= earlier.clock;
}

void Timeline::fence(unsigned thread, bool block_only) {
  any_fence_ = true;
  warps_with_clocks_ |= 1u << thread / 32;
  std::uint16_t &own = seen_[thread][thread % 32];
  own += own < kFullClock;  // what the thread does from here on is not covered
  fences_[thread] = {block_begin_, epoch_, thread, seen_[thread], block_only};
}

void Timeline::release(unsigned thread, const void *flag, std::size_t bytes,
                       Strength strength) {
  const auto found = any_fence_ ? fences_.find(thread) : fences_.end();
  if (found == fences_.end()) return;
  Fence fence = found->second;
  // "all threads: __threadfence(); __syncthreads(); one thread: atomic" publishes the whole block.
  if (fence.epoch < epoch_) fence = {fence.block_begin, fence.epoch + 1, 0, {}, fence.block_only};
  fence.block_only |= strength == Strength::atomic_in_block;
  auto &released = released_[block_begin_];
  if (released.empty() || released.back() != Released{epoch_, flag}) released.emplace_back(epoch_, flag);
  auto &[releases, of_block] = flags_[flag];
  Knowledge known = known_to(thread);
  if (!releases.empty()) learn(known, releases.back().known);
  of_block[block_begin_].push_back(releases.size());
  releases.push_back({now(thread, strength, 0), bytes, fence, std::move(known)});
}

void Timeline::acquire(unsigned thread, const void *flag) {
  const auto found = any_fence_ ? flags_.find(flag) : flags_.end();
  if (found == flags_.end()) return;
  const auto &releases = found->second.releases;
  Knowledge &knowledge = thread_knows_[thread];
  learn(knowledge, {{flag, releases.size()}});
  learn(knowledge, releases.back().known);
}

// Both are sorted. Where each vertex of a search is a flag, both have thousands.
void Timeline::learn(Knowledge &knowledge, const Knowledge &more) {
  auto known = knowledge.begin();
  std::size_t unknown = 0;
  for (const Known &each : more) {
    known = std::lower_bound(known, knowledge.end(), each, before);
    if (known != knowledge.end() && known->flag == each.flag)
      known->releases = std::max(known->releases, each.releases);
    else
      ++unknown;
  }
  if (unknown == 0) return;
  const auto old = static_cast<std::ptrdiff_t>(knowledge.size());
  for (const Known &each : more)
    if (!std::binary_search(knowledge.begin(), knowledge.begin() + old, each, before))
      knowledge.push_back(each);
  std::inplace_merge(knowledge.begin(), knowledge.begin() + old, knowledge.end(), before);
}

Timeline::Knowledge Timeline::known_to(unsigned thread) const {
  Knowledge known = block_knows_;
  const auto own = thread_knows_.find(thread);
  if (own != thread_knows_.end()) learn(known, own->second);
  return known;
}

// Most of what a thread reads was published by one flag, that of a barrier made by hand, or is a flag itself:
// these are asked first. After them, what the earlier one's block has released since.
bool Timeline::published(const Past &past, unsigned thread) const {
  static const Knowledge nothing;
  const auto own = thread_knows_.find(thread);
  const Knowledge *const all[] = {&block_knows_, own == thread_knows_.end() ? &nothing : &own->second};
  const auto told_by = [&](const void *flag) {
    return std::ranges::any_of(all, [&](const Knowledge *some) {
      const auto known = std::lower_bound(some->begin(), some->end(), Known{flag, 0}, before);
      return known != some->end() && known->flag == flag && published_by(*known, past);
    });
  };
  if (told_by(past.address) || told_by(told_last_)) return true;
  const auto later_block = released_.upper_bound(past.record.epoch);
  if (later_block == released_.begin()) return false;
  const auto &released = std::prev(later_block)->second;
  auto since = std::ranges::lower_bound(released, past.record.epoch, {}, &Released::first);
  while (since != released.end() && !told_by(since->second)) ++since;
  if (since == released.end()) return false;
  told_last_ = since->second;
  return true;
}

bool Timeline::published_by(const Known &known, const Past &past) const {
  const auto &[releases, of_block] = flags_.at(known.flag);
  const std::uint32_t epoch = past.record.epoch;
  const auto later_block = of_block.upper_bound(epoch);
  if (later_block == of_block.begin()) return false;
  const auto &[block_begin, numbers] = *std::prev(later_block);
  const auto *flag = static_cast<const char *>(known.flag);
  const auto offset = static_cast<std::size_t>(past.address - flag);
  // Later releases of a block have greater epochs.
  auto number = std::ranges::lower_bound(numbers, epoch, {}, [&](std::size_t i) {
    return releases[i].atomic.epoch;
  });
  for (; number != numbers.end() && *number < known.releases; ++number) {
    const Release &release = releases[*number];
    if (release.fence.block_only && block_begin != block_begin_) continue;
    if (release.fence.covers(past.record)) return true;
    // Only at the flag: what the thread did elsewhere since its fence is not published.
    if (offset < release.bytes && release.atomic.same_moment(past.record)) return true;
  }
  return false;
}

std::uint64_t Timeline::block_of(const Record &record) const {
  const auto after =
      std::upper_bound(blocks_.begin(), blocks_.end(), record.epoch,
                       [](std::uint32_t epoch, const auto &block) { return epoch < block.first; });
  return after == blocks_.begin() ? 0 : std::prev(after)->second;
}

}  // namespace cuda_on_cpu::check
