// Blocks that wait for other blocks. On a GPU the blocks of a small grid run side by side, so a
// block may wait in a loop for what another one writes. Here they take turns: a block of which no
// thread can go on while some poll is put aside with its threads' states and its shared memory, and
// goes on later. The threads' stacks stay where they are.
#include <algorithm>
#include <utility>

#include "base/hooks.hpp"
#include "base/kernel_runs.hpp"
#include "base/submission_code.hpp"
#include "messages/diagnostics.hpp"
#include "messages/failures.hpp"
#include "messages/text.hpp"
#include "threads/block.hpp"

namespace cuda_on_cpu {
namespace {

// a barrier of the grid made by hand has no end for long: turns are short
constexpr unsigned kMostPatience = 4;
constexpr std::uint64_t kMostWaitingThreads = 32768;  // their stacks take memory
constexpr std::uint64_t kMostInOrder = 1 << 24;

}  // namespace

// The blocks that this worker still has to begin. After one of them has had to wait, the others
// begin in the order in which a GPU would take them: most programs that wait count on that.
class Block::ToBegin {
 public:
  explicit ToBegin(Grid &grid) : grid_(grid), block_at_(grid.order, grid.block_count) {}

  bool take(std::uint64_t &number) {
    if (in_order_) {
      while (next_ < left_.size() && !left_[next_]) ++next_;
      number = next_++;
      return number < left_.size();
    }
    const std::uint64_t position = grid_.next_block.fetch_add(1, std::memory_order_relaxed);
    if (position >= block_at_.count()) return false;
    number = block_at_(position);
    return true;
  }

  void put_in_order() {
    const bool is_in_order = in_order_ || grid_.order.order == Order::forward;
    if (is_in_order || grid_.block_count > kMostInOrder) return;
    std::vector<bool> left(grid_.block_count);
    std::uint64_t number = 0;
    while (take(number)) left[number] = true;
    left_.swap(left);
    in_order_ = true;
  }

 private:
  Grid &grid_;
  const BlockOrder block_at_;
  bool in_order_ = false;
  std::vector<bool> left_;  // of all blocks
  std::uint64_t next_ = 0;
};

void Block::run_blocks_of(Grid &grid) {
  prepare(grid);
  block_progress = this;
  kernel_runs = true;
  ToBegin blocks(grid);
  ParkedBlocks parked;
  std::uint64_t number = 0;
  grid.standstill.worker_begins();
  while (grid.error.load(std::memory_order_relaxed) == cudaSuccess && blocks.take(number)) {
    run_one_block(number);
    if (grid.waiting_blocks.load(std::memory_order_relaxed) != 0) grid.standstill.change();
    if (!waits_for_blocks_) continue;
    parked.push_back(park(number));
    ++grid.waiting_blocks;
    blocks.put_in_order();
    make_room(grid, parked);
  }
  while (!parked.empty() && grid.error.load(std::memory_order_relaxed) == cudaSuccess) {
    const std::size_t before = parked.size();
    run_parked(grid, parked);
    if (parked.size() == before) rest_if_full(grid);
    // Nothing may change for long: another worker runs the block in question, or there is none.
    patience_ = parked.size() < before ? kLeastPatience : std::min(2 * patience_, kMostPatience);
  }
  grid.standstill.worker_ends();
  if (grid.error.load(std::memory_order_relaxed) != cudaSuccess) stacks_.reclaim_all();
  finish(grid);
}

bool Block::is_full(const Grid &grid) const {
  return grid.waiting_blocks * count > kMostWaitingThreads;
}

void Block::make_room(Grid &grid, ParkedBlocks &parked) {
  while (is_full(grid) && grid.error.load(std::memory_order_relaxed) == cudaSuccess) {
    rest_if_full(grid);
    run_parked(grid, parked);
  }
}

// A judge leaves blocks or launches out, and others may wait for these: that is no fault, and a
// worker waits until its time is over.
void Block::rest_if_full(Grid &grid) {
  if (is_full(grid) && !is_in_worker() && grid.standstill.rest()) end_of_room(grid);
}

void Block::end_of_room(Grid &grid) {
  if (first_failure())
    report("barrier",
           "kernel %s: %llu blocks of %u threads wait for blocks that have not begun; a GPU runs "
           "only so many "
           "at once as fit, and then waits for ever",
           grid.name, static_cast<unsigned long long>(grid.waiting_blocks), count);
  grid.error = cudaErrorLaunchFailure;
}

void Block::run_parked(Grid &grid, ParkedBlocks &parked) {
  take_turns(parked, &Block::resume_polling, [&](std::uint64_t number) {
    if (waits_for_blocks_) parked.push_back(park(number));
    else --grid.waiting_blocks, grid.standstill.change();
  });
}

void Block::resume_polling(ParkedBlock &parked) {
  take_up(parked);
  if (hooks && hooks->block_taken_up) hooks->block_taken_up(parked.number);
  go_on();
  if (failed_) stacks_.reclaim_all();
  if (hooks) hooks->block_end();
}

// Asked when no thread can go on but those that poll.
bool Block::is_stuck() {
  if (grid_->block_count < 2) return false;
  if (++turns_of_polling_ < patience_ * polling_.size()) return false;
  waits_for_blocks_ = true;
  main_.index = threadIdx;  // who asks meanwhile what runs hears of a thread that waits
  return true;
}

ParkedBlock Block::park(std::uint64_t number) {
  if (waits_for_blocks_ && hooks && hooks->block_put_aside) hooks->block_put_aside(number);
  waits_for_blocks_ = false;
  return {number,
          blockIdx,
          barrier_site_,
          live_,
          at_barrier_,
          predicates_,
          std::exchange(waits_for_grid_, false),
          alive_,
          std::move(fibers_),
          std::move(warps_),
          shared_.save(),
          std::move(tile_slots_),
          std::move(polling_),
          std::move(passed_),
          gave_way_};
}

void Block::take_up(ParkedBlock &parked) {
  fibers_.swap(parked.fibers);
  warps_.swap(parked.warps);
  polling_.swap(parked.polling);
  passed_.swap(parked.passed);
  tile_slots_.swap(parked.tile_slots);
  blockIdx = parked.index;
  live_ = parked.live;
  at_barrier_ = parked.at_barrier;
  predicates_ = parked.predicates;
  waits_for_grid_ = parked.waits_for_grid;
  barrier_site_ = parked.site;
  next = count;
  suspended = true;
  failed_ = false;
  gave_way_ = parked.gave_way;
  gives_way_ = gave_way_.any();
  looks_ = {};
  waits_ = kNobody;
  turns_of_polling_ = idle_rounds_ = 0;
  alive_ = parked.alive;
  ready_ = {};
  ready_groups_ = group_ = now_ = 0;
  if (is_in_cluster()) enter_window(parked.number);
  shared_.restore(parked.shared);
  if (!order_.empty()) order_threads(parked.number);
}

}  // namespace cuda_on_cpu
