// Grids that kernels launch, and what is ordered before them.
//
// The runtime runs a child grid when its parent has ended. On a GPU it may run beside its parent
// from the launch on. Before it is what the launching thread, and by barriers its block, had done
// until then; and of the parent's other children those that were launched earlier into the same
// stream, which for the default stream means: by the same block. A child in cudaStreamTailLaunch
// begins when its parent, and the other children, have ended.
#include <algorithm>

#include "timeline.hpp"

namespace cuda_on_cpu::check {

std::size_t Timeline::launch_child(unsigned thread, std::uint64_t stream, ChildOrder order) {
  warps_with_clocks_ |= 1u << thread / 32;
  std::uint16_t &own = seen_[thread][thread % 32];
  own += own < kFullClock;  // what the thread does from here on is not before the child
  const Fence before{block_begin_, epoch_, thread, seen_[thread], false};
  origins_.push_back({grids_.size() - 1, before, known_to(thread), stream, order});
  return origins_.size() - 1;
}

void Timeline::begin_child(std::size_t number) {
  block_begin_ = epoch_ = ++last_epoch_;
  is_child_ = true;
  grids_.push_back({epoch_, number});
}

std::size_t Timeline::grid_of(const Record &record) const {
  const auto after = std::upper_bound(
      grids_.begin(), grids_.end(), record.epoch,
      [](std::uint32_t epoch, const Grid &grid) { return epoch < grid.begin; });
  return after == grids_.begin() ? 0 : static_cast<std::size_t>(after - grids_.begin()) - 1;
}

std::size_t Timeline::parent_of(std::size_t grid) const {
  const std::size_t origin = grids_[grid].origin;
  return origin == kNone ? kNone : origins_[origin].grid;
}

bool Timeline::launched_by(std::size_t grid, std::size_t other) const {
  while (grid != kNone && grid != other) grid = parent_of(grid);
  return grid == other;
}

bool Timeline::in_order(const Origin &first, const Origin &second) const {
  if (second.order == ChildOrder::last) return true;
  if (first.order != ChildOrder::in_stream || second.order != ChildOrder::in_stream) return false;
  if (first.stream != second.stream) return false;
  return second.stream || first.before.block_begin == second.before.block_begin;
}

// A grid has ended when its children have. So the two grids in question are the record's and the
// current one, or those that led to them, where both have the same parent.
bool Timeline::before_child(const Past &past) const {
  std::size_t mine = grids_.size() - 1, other = grid_of(past.record);
  while (!launched_by(other, parent_of(mine))) mine = parent_of(mine);
  const std::size_t parent = parent_of(mine);
  const Origin &origin = origins_[grids_[mine].origin];
  if (other == parent) {
    const auto is_past = [&](const Record &earlier) {
      return origin.before.covers(earlier) ||
             origin.known.covers(earlier, origin.before.block_begin);
    };
    if (origin.order == ChildOrder::last || is_past(past.record)) return true;
    return past.record.strength() != Strength::plain &&
           flags_.is_seen(past.record, past.address, false, {}, is_past);
  }
  while (parent_of(other) != parent) other = parent_of(other);
  return in_order(origins_[grids_[other].origin], origin);
}

}  // namespace cuda_on_cpu::check
