#include "threads/block.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/counts.hpp"
#include "base/hooks.hpp"
#include "base/kernel_runs.hpp"
#include "base/rounding.hpp"
#include "base/signals.hpp"
#include "cuda_on_cpu/virtual_device.hpp"
#include "messages/diagnostics.hpp"
#include "messages/failures.hpp"

namespace cuda_on_cpu {

namespace {

constexpr unsigned kSpinsInOneTurn = 100;
// Where a checker watches, each look takes long. But it is known whether a thread has changed
// anything since its last round: one that has is hardly waiting, and one that has not is.
constexpr unsigned kBusySpinsInOneTurn = 10'000, kIdleSpinsInOneTurn = 4;

uint3 unpack(std::uint64_t index, const dim3 &extent) {
  return {static_cast<unsigned>(index % extent.x),
          static_cast<unsigned>(index / extent.x % extent.y),
          static_cast<unsigned>(index / extent.x / extent.y)};
}

}  // namespace

Block::Block() : thread_index_(&threadIdx), block_index_(&blockIdx) { watch_signals_of(this); }
Block::~Block() { unwatch_signals_of(this); }

Block &this_block() {
  struct Owner {
    Block *block = new Block;
    ~Owner() {
      if (!inside_kernel()) delete block;  // a kernel that calls exit() runs on its stacks
    }
  };
  static thread_local Owner owner;
  return *owner.block;
}

void Block::prepare(Grid &grid) {
  grid_ = &grid;
  count = grid.threads_per_block;
  const dim3 &extent = grid.configuration.block;
  forward = grid.order.order == Order::forward;
  straight = forward && extent.y == 1 && extent.z == 1;
  order_.resize(forward ? 0 : count);
  positions_.resize(order_.size());
  stacks_.adopt(grid.stack_bytes);
  shared_.begin_launch(grid.configuration.shared_bytes, is_in_cluster());
  shared_arena = shared_.base();
  current_launch = grid.number;
  blockDim = grid.configuration.block;
  gridDim = grid.configuration.grid;
  barriers_passed_ = texture_fetches_ = texture_bytes_ = 0;
  patience_ = kLeastPatience;
  blocks_giving_way_ = rests_ = 0;
}

void Block::finish(Grid &grid) {
  grid.barriers += barriers_passed_;
  grid.texture_fetches += texture_fetches_;
  grid.texture_bytes += texture_bytes_;
  grid_ = nullptr;
  block_progress = nullptr;
  kernel_runs = false;
  // Where a submission is watched, host code finds nothing on the stacks of CUDA threads.
  if (hooks && counts_are_protected()) stacks_.wipe();
}

void Block::run_one_block(std::uint64_t index) {
  blockIdx = unpack(index, gridDim);
  threadIdx = {};
  next = 0;
  is_whole_ = false;
  kept_ = 0;
  idle_rounds_ = turns_of_polling_ = 0;
  suspended = failed_ = waits_for_grid_ = waits_for_blocks_ = false;
  predicates_ = 0;
  fibers_.resize(count);  // those of a block that was put aside have gone with it
  warps_.resize((count + kWarpSize - 1) / kWarpSize);
  polling_.clear();
  giving_way_.clear();
  gave_way_.reset();
  looks_ = {};
  has_given_way_ = nullptr;
  waits_ = kNobody;
  waited_for_ = nullptr;
  gives_way_ = for_blocks_ = false;
  owner_ = kNobody;
  passed_.clear();
  if (is_in_cluster()) enter_window(index);
  shared_.begin_block();
  if (hooks) hooks->block_begin(index, shared_.base(), grid_->configuration.shared_bytes);
  if (!order_.empty()) {
    order_threads(index);
    begin_tracking(0);
  }
  running_ = stacks_.take(executor_main);
  switch_context(main_.context, running_->context);
  if (failed_) stacks_.reclaim_all();
  if (hooks) hooks->block_end();
}

void Block::order_threads(std::uint64_t block) {
  fill_thread_order(order_, grid_->order, block);
  for (unsigned position = 0; position < count; ++position)
    positions_[order_[position]] = static_cast<std::uint16_t>(position);
}

// The main function of every executor: runs threads until one that waited can go on, or until none
// is left to start.
void Block::executor_main() {
  Block &block = current_block();
  Fiber *self = block.running_;
  block.grid_->run_threads(block.grid_->body);
  Fiber *to = block.choose_next();
  block.stacks_.give_back(self);
  block.switch_to(self, to);
  __builtin_unreachable();  // a fiber from the pool starts anew
}

bool Block::start_next_thread() {
  if (next >= count) return false;
  idle_rounds_ = 0;
  set_turn(next++);
  return true;
}

void Block::set_turn(unsigned position) {
  threadIdx = unpack(order_.empty() ? position : order_[position], blockDim);
}

// No other thread begins: for the scheduler the block has one thread, which never waits.
void Block::run_whole() {
  is_whole_ = true;
  next = count;
  suspended = false;
  live_ = count;
}

char *Block::take_kept(std::size_t bytes) {
  if (kept_ == kept_values_.size()) kept_values_.emplace_back();
  auto &values = kept_values_[kept_++];
  const std::size_t wanted = round_up(bytes, sizeof values[0]) / sizeof values[0];
  if (values.size() < wanted) values.resize(wanted);
  return reinterpret_cast<char *>(values.data());
}

bool Block::end_thread() {
  if (!suspended) return true;
  if (running_->position == kNoThread) note_thread(*running_);
  const unsigned thread = running_->number;
  alive_[running_->position / kGroupSize] &= ~(1u << running_->position % kGroupSize);
  running_->position = kNoThread;
  --live_;
  WarpState &warp = warps_[thread / kWarpSize];
  warp.live &= ~(1u << thread % kWarpSize);
  if (at_barrier_ && at_barrier_ == live_) release_barrier();
  for (unsigned waiting = warp.waiting; waiting; waiting &= warp.waiting & (waiting - 1))
    complete_warp(thread / kWarpSize, warp.request[__builtin_ctz(waiting)].mask);
  return !(now_ | ready_groups_);
}

void Block::note_thread(Fiber &fiber) {
  fiber.number = current_thread();
  fiber.position = position_of(fiber.number);
  fiber.index = threadIdx;
  fibers_[fiber.position] = &fiber;
}

// From the first wait in a block on, the state of every thread is tracked. Before that, in forward
// order, all earlier threads have simply run to their ends.
void Block::begin_tracking(unsigned already_exited) {
  if (is_whole_) die("internal", "a thread waits in a loop over all threads of its block");
  suspended = true;
  live_ = count - already_exited;
  at_barrier_ = ready_groups_ = group_ = now_ = 0;
  for (unsigned w = 0; w < warps_.size(); ++w) {
    const unsigned first = w * kWarpSize, lanes = std::min(kWarpSize, count - first);
    const unsigned gone = already_exited <= first ? 0 : std::min(already_exited - first, lanes);
    const auto low_bits = [](unsigned n) { return n >= kWarpSize ? ~0u : (1u << n) - 1; };
    warps_[w].live = low_bits(lanes) & ~low_bits(gone);
    alive_[w] = warps_[w].live;  // positions are numbers, or none has left
    ready_[w] = 0;
    warps_[w].waiting = warps_[w].at_tile_barrier = 0;
  }
}

void Block::make_ready(unsigned thread) {
  const unsigned position = position_of(thread), group = position / kGroupSize;
  ready_[group] |= 1u << position % kGroupSize;
  ready_groups_ |= 1u << group;
}

void Block::make_lanes_ready(unsigned warp, unsigned lanes) {
  static_assert(kGroupSize == kWarpSize);  // so in forward order a warp is a group
  if (!positions_.empty())
    return for_each_lane(lanes, [&](unsigned lane) { make_ready(warp * kWarpSize + lane); });
  ready_[warp] |= lanes;
  ready_groups_ |= 1u << warp;
  group_ = warp;
}

// The block's threads, until all have ended or wait for other blocks.
void Block::go_on() { switch_to(&main_, choose_next()); }

Fiber *Block::choose_from_ready() {
  if (!ready_groups_) return choose_without_ready();
  const unsigned from_here = ready_groups_ & ~0u << group_;
  group_ = static_cast<unsigned>(__builtin_ctz(from_here ? from_here : ready_groups_));
  ready_groups_ &= ~(1u << group_);
  now_ = std::exchange(ready_[group_], 0);
  now_fibers_ = &fibers_[group_ * kGroupSize];
  return choose_next();
}

Fiber *Block::choose_without_ready() {
  if (next < count) return stacks_.take(executor_main);
  if (!giving_way_.empty()) {
    if (gives_turn_to_blocks()) return &main_;
    for (const unsigned thread : giving_way_) make_ready(thread);
    giving_way_.clear();
    return choose_next();
  }
  if (!suspended || live_ == 0 || (waits_for_grid_ && at_barrier_ == live_)) return &main_;
  if (!resolve_active_masks()) {
    if (polling_.empty()) fail_deadlock();
    if (is_stuck()) return &main_;
    make_ready(polling_.front());
    polling_.pop_front();
  }
  return choose_next();
}

// A thread that polls a flag would wait for ever for a later thread of its block, because threads
// run in turn. So it waits behind all others. If it is alone, the flag is another block's matter.
void Block::spin() {
  note_spinner();
  if (!is_checked()) return count_spin(kSpinsInOneTurn);
  idle_spins_ = std::exchange(changed_, nullptr) ? 0 : idle_spins_ + 1;
  count_spin(idle_spins_ < kIdleSpinsInOneTurn ? kBusySpinsInOneTurn : 1);
}

void Block::note_spinner() {
  const unsigned number = current_thread();
  if (number != spinner_) spinner_ = number, spins_ = idle_spins_ = 0;
}

// Ends the turn of a thread that has called it `most` times without a break.
void Block::count_spin(unsigned most) {
  idle_rounds_ = 0;
  if (++spins_ < most) return;
  spins_ = idle_spins_ = 0;
  begin_wait();  // live_ is right from now on
  if (polling_.size() + 1 == live_) std::this_thread::yield();  // to another worker, or to the host
  poll_later();
}

// Threads run one after the other, so that what one has read is as it was when it exchanges. On a
// GPU another may have changed it in between. Twice is enough to show what does not expect that: a
// lock that is tested and then taken is given back by an exchange, too. Under the checker a thread
// does so only where its last atomic, or its last look, was at the same variable: what two threads
// have between them is then unordered, whatever they exchange later.
void Block::give_way(const void *address) {
  const bool acts = decides(Look::by_atomic, address);
  if (acts) {
    pause_for_all(address);
    owner_ = current_thread();
  } else if (!order_.empty() || has_looked(Look::any_atomic, address)) {
    pause();
  }
  has_given_way_ = address;
}

// A few blocks of a launch are enough to show what does not expect it.
bool Block::is_among_first_to_give_way() {
  constexpr unsigned kEnough = 4;
  if (!gives_way_ && blocks_giving_way_ < kEnough) gives_way_ = ++blocks_giving_way_;
  return gives_way_;
}

// Who looks again and again may wait for one that has given way.
void Block::note_look(Look kind, const void *address) {
  if (kind == Look::by_atomic && changed_ == address) changed_ = nullptr;  // it has changed nothing
  if (blocks_giving_way_) note_spinner(), count_spin(kSpinsInOneTurn);
  remember(kind, address);
}

void Block::remember(Look kind, const void *address) {
  if (looked_ != current_thread()) looks_ = {};
  looked_ = current_thread();
  looks_[static_cast<unsigned>(kind)] = address;
  if (std::exchange(waits_, kNobody) == looked_) waited_for_ = address;
}

// Other atomics than exchanges, and writes to volatile variables, change what a thread has looked
// at before only where it decides by that. What a lock's owner has taken so it gives back so.
void Block::note_change(Look kind, const void *address) {
  changed_ = address;
  const bool is_exchange = std::exchange(has_given_way_, nullptr) == address;
  if (!is_exchange && decides(kind, address) && is_among_first_to_give_way())
    pause_for_all(address);
  if (kind == Look::by_volatile) rest_before_write();
  if (kind == Look::by_atomic) remember(Look::any_atomic, address);
}

// What a thread reads and writes as a volatile variable may be a number that others read as it
// comes, unless a thread has waited for it.
bool Block::decides(Look change, const void *address) const {
  const bool is_flag = change == Look::by_atomic || waited_for_ == address;
  return has_looked(Look::by_atomic, address) ||
         (is_flag && has_looked(Look::by_volatile, address));
}

// Who has taken what looked free may not be the only one. Between what it reads then and the first
// volatile variable that it writes the others run, and take it as well if they can. A few times in
// a launch are enough.
void Block::rest_before_write() {
  constexpr unsigned kEnough = 4;
  if (owner_ != current_thread() || rests_ >= kEnough) return;
  ++rests_;
  owner_ = kNobody;
  for_blocks_ = is_among_first_to_give_way();
  let_others_run();
}

// Other blocks, too, have a turn before the thread acts.
void Block::pause_for_all(const void *address) {
  for_blocks_ = is_among_first_to_give_way();
  pause();
  remember(Look::by_atomic, address);
}

void Block::pause() {
  const unsigned number = current_thread(), first = 2 * number, second = first + 1;
  if (gave_way_[second]) return;
  gave_way_.set(gave_way_[first] ? second : first);
  let_others_run();
}

void Block::let_others_run() {
  const unsigned number = current_thread();
  const Looks kept = looked_ == number ? looks_ : Looks{};
  Fiber &self = begin_wait();
  giving_way_.push_back(static_cast<std::uint16_t>(number));
  suspend(self);
  looked_ = number;
  looks_ = kept;
}

// Asked when no thread can go on but those that give way. Other blocks may look, too, before one of
// these acts.
bool Block::gives_turn_to_blocks() {
  if (!std::exchange(for_blocks_, false) || grid_->block_count < 2) return false;
  waits_for_blocks_ = true;
  polling_.insert(polling_.end(), giving_way_.begin(), giving_way_.end());
  giving_way_.clear();
  main_.index = threadIdx;
  return true;
}

void Block::poll_later() {
  Fiber &self = begin_wait();
  polling_.push_back(static_cast<std::uint16_t>(self.number));
  suspend(self);
}

// Threads that wait so go on when no other can, and only threads of the block can arrive: on a busy
// machine a turn for other programs would cost more than all else. If they alone have had turns for
// long, nobody is left who could arrive.
void Block::await_arrivals(Site site) {
  begin_wait();  // live_ is right from now on
  if (++idle_rounds_ > 4 * live_) fail_without_arrivals(site);
  poll_later();
}

// What the block does from here on is its report, until fail() ends the launch.
bool Block::first_failure() {
  if (hooks) works_for_kernel = true;
  return !grid_->failure_reported.exchange(true);
}

void Block::break_launch_bound(unsigned most) {
  explain(with_commas(count) + " threads per block; its __launch_bounds__ allow " +
          with_commas(most));
  fail(cudaErrorLaunchOutOfResources);
}

void break_launch_bound(unsigned most) { current_block().break_launch_bound(most); }

void Block::fail(cudaError_t error) {
  if (hooks) works_for_kernel = false;
  int none = cudaSuccess;
  grid_->error.compare_exchange_strong(none, error);
  failed_ = true;
  Fiber *self = running_;
  running_ = &main_;
  switch_context(self->context, main_.context);
  __builtin_unreachable();
}

}  // namespace cuda_on_cpu
