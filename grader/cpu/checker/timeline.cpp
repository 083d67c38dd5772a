#include "timeline.hpp"

#include <algorithm>
#include <utility>

namespace cuda_on_cpu::check {
namespace {

void for_each_lane(unsigned lanes, auto visit) {
  for (; lanes; lanes &= lanes - 1) visit(static_cast<unsigned>(__builtin_ctz(lanes)));
}

}  // namespace

void Timeline::begin_launch() {
  pass_grid();
  is_child_ = wide_fence_ = false;
  origins_.clear();
  grids_.assign(1, {epoch_, kNone});
}

void Timeline::pass_grid() {
  cluster_begin_ = cluster_passed_ = 0;
  launch_begin_ = epoch_ = ++last_epoch_;
  set_block_begin(epoch_);
  own_end_ = 0;
  aside_.clear();
  blocks_.clear();
  any_fence_ = false;
  flags_.clear();
}

void Timeline::begin_cluster() {
  cluster_begin_ = last_epoch_ + 1;
  pass_cluster();
}

void Timeline::begin_block(std::uint64_t block) {
  forget_clocks();
  epoch_ = ++last_epoch_;
  set_block_begin(epoch_);
  own_end_ = 0;
  blocks_.emplace_back(epoch_, block);
  fences_.clear();
  thread_knows_.clear();
  thread_saw_.clear();
  block_knows_ = {};
}

void Timeline::barrier() {
  forget_clocks();
  if (epoch_ == own_end_) end_of_epochs();
  last_epoch_ = std::max(last_epoch_, ++epoch_);
  for (const auto &[thread, known] : thread_knows_) block_knows_.learn(known);
  for (const auto &[thread, seen] : thread_saw_) block_knows_.learn(seen);
  thread_knows_.clear();
  thread_saw_.clear();
}

// Epochs order what is before a barrier, so clocks start again after it.
void Timeline::forget_clocks() {
  for_each_lane(warps_with_clocks_,
                [&](unsigned warp) { std::fill_n(seen_ + warp * 32, 32, LaneClocks{}); });
  warps_with_clocks_ = 0;
}

void Timeline::synchronise_lanes(unsigned warp, unsigned lanes) {
  warps_with_clocks_ |= 1u << warp;
  LaneClocks *row = seen_ + warp * 32;
  for_each_lane(lanes, [&](unsigned lane) { row[lane][lane] += row[lane][lane] < kFullClock; });
  LaneClocks joined{};
  for_each_lane(lanes, [&](unsigned lane) {
    for (unsigned i = 0; i < 32; ++i) joined[i] = std::max(joined[i], row[lane][i]);
  });
  for_each_lane(lanes, [&](unsigned lane) { row[lane] = joined; });
  if (any_fence_) share_fences(warp, lanes);
  if (!thread_saw_.empty())
    for_each_lane(lanes, [&](unsigned lane) { understand(warp * 32 + lane); });
  if (thread_knows_.empty()) return;
  Knowledge known = block_knows_;
  for_each_lane(lanes, [&](unsigned lane) { known.learn(known_to(warp * 32 + lane)); });
  for_each_lane(lanes, [&](unsigned lane) { thread_knows_[warp * 32 + lane] = known; });
}

// Each lane has called a fence, then they meet, then one of them writes the flag: its write
// publishes what any of these fences covers.
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

void Timeline::fence(unsigned thread, bool block_only) {
  any_fence_ = true;
  wide_fence_ |= !block_only;
  warps_with_clocks_ |= 1u << thread / 32;
  std::uint16_t &own = seen_[thread][thread % 32];
  own += own < kFullClock;  // what the thread does from here on is not covered
  fences_[thread] = {block_begin_, epoch_, thread, seen_[thread], block_only};
  understand(thread);
}

bool Timeline::release(unsigned thread, const void *flag, std::size_t bytes,
                       Strength strength) {
  const auto found = any_fence_ ? fences_.find(thread) : fences_.end();
  if (found == fences_.end()) return false;
  Fence fence = found->second;
  // "all threads: __threadfence(); __syncthreads(); one thread: atomic" publishes the whole block.
  if (fence.epoch < epoch_) fence = {fence.block_begin, fence.epoch + 1, 0, {}, fence.block_only};
  fence.block_only |= strength == Strength::atomic_in_block;
  flags_[flag].release(now(thread, strength, 0), bytes, fence, known_to(thread));
  return true;
}

void Timeline::acquire(unsigned thread, const void *address) {
  Flag *const flag = any_fence_ ? flags_.find(address) : nullptr;
  if (!flag) return;
  knowledge_of(thread).learn(flag->acquire(now(thread, Strength::plain, 0)));
}

void Timeline::look(unsigned thread, const void *address) {
  Flag *const flag = any_fence_ ? flags_.find(address) : nullptr;
  if (flag) thread_saw_[thread].learn(flag->acquire(now(thread, Strength::plain, 0)));
}

void Timeline::understand(unsigned thread) {
  const auto seen = thread_saw_.empty() ? thread_saw_.end() : thread_saw_.find(thread);
  if (seen == thread_saw_.end()) return;
  knowledge_of(thread).learn(seen->second);
  thread_saw_.erase(seen);
}

const Knowledge &Timeline::known_to(unsigned thread) const {
  const auto own = thread_knows_.find(thread);
  return own == thread_knows_.end() ? block_knows_ : own->second;
}

bool Timeline::published(const Past &past, unsigned thread) const {
  const Knowledge &known = known_to(thread);
  if (known.covers(past.record, block_begin_)) return true;
  // Only at the flag: what the thread did elsewhere since its fence is not published.
  if (past.record.strength() == Strength::plain) return false;
  const auto is_past = [&](const Record &reader) {
    return before_in_block(reader, thread) || known.covers(reader, block_begin_);
  };
  return flags_.is_seen(past.record, past.address, of_this_block(past.record),
                        now(thread, Strength::plain, 0), is_past);
}

std::uint64_t Timeline::block_of(const Record &record) const {
  const auto after =
      std::upper_bound(blocks_.begin(), blocks_.end(), record.epoch,
                       [](std::uint32_t epoch, const auto &block) { return epoch < block.first; });
  return after == blocks_.begin() ? 0 : std::prev(after)->second;
}

}  // namespace cuda_on_cpu::check
