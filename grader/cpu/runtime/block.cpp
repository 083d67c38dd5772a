#include "block.hpp"

#include <algorithm>
#include <thread>

#include "counts.hpp"
#include "cuda_on_cpu/virtual_device.hpp"
#include "failures.hpp"
#include "hooks.hpp"
#include "kernel_runs.hpp"
#include "signals.hpp"

namespace cuda_on_cpu {

namespace {

constexpr unsigned kSpinsInOneTurn = 100;

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

bool inside_kernel() { return kernel_runs; }

void Block::prepare(Grid &grid) {
  grid_ = &grid;
  count = grid.threads_per_block;
  const dim3 &extent = grid.configuration.block;
  const bool forward = grid.order.order == Order::forward;
  straight = forward && extent.y == 1 && extent.z == 1;
  threads_.resize(count);
  warps_.resize((count + kWarpSize - 1) / kWarpSize);
  ready_.reserve(count);
  order_.resize(forward ? 0 : count);
  ordered_.resize(order_.size());
  placed_.resize(warps_.size());
  stacks_.adopt(grid.stack_bytes);
  shared_.begin_launch(grid.configuration.shared_bytes);
  shared_arena = shared_.base();
  current_launch = grid.number;
  blockDim = grid.configuration.block;
  gridDim = grid.configuration.grid;
  barriers_passed_ = texture_fetches_ = texture_bytes_ = 0;
  patience_ = kLeastPatience;
  blocks_giving_way_ = 0;
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
  idle_rounds_ = turns_of_polling_ = 0;
  suspended = failed_ = waits_for_grid_ = waits_for_blocks_ = tracked_ = first_round_ = false;
  turn_ = nullptr;
  predicates_ = 0;
  polling_.clear();
  giving_way_.clear();
  gave_way_.reset();
  looks_ = {};
  has_given_way_ = nullptr;
  waits_ = kNobody;
  waited_for_ = nullptr;
  gives_way_ = for_blocks_ = false;
  passed_.clear();
  shared_.begin_block();
  if (hooks) hooks->block_begin(index, shared_.base(), grid_->configuration.shared_bytes);
  if (!order_.empty()) {
    fill_thread_order(order_, grid_->order, index);
    order_lanes();
    begin_tracking(0);
  }
  running_ = stacks_.take(executor_main);
  switch_context(main_.context, running_->context);
  if (failed_) stacks_.reclaim_all();
  if (hooks) hooks->block_end();
}

// Sorts the order by warps, so that a warp function need not look through the whole block.
void Block::order_lanes() {
  std::fill(placed_.begin(), placed_.end(), 0);
  for (const unsigned thread : order_) {
    const unsigned warp = thread / kWarpSize;
    ordered_[warp * kWarpSize + placed_[warp]++] = static_cast<std::uint16_t>(thread);
  }
}

// Threads that can go on first, then threads that have not started, then those that poll.
inline Fiber *Block::choose_next() {
  if (turn_) return *turn_;
  const std::size_t ready = ready_.size();
  if (ready_head_ == ready) return choose_without_ready();
  Fiber *fiber = threads_[ready_[ready_head_++]].fiber;
  if (ready_head_ + kFetchedAhead <= ready)
    prefetch(threads_[ready_[ready_head_ + kFetchedAhead - 1]].fiber->context);
  if (ready_head_ == ready) ready_.clear(), ready_head_ = 0;
  return fiber;
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
  const unsigned position = next++;
  const unsigned thread = order_.empty() ? position : order_[position];
  threadIdx = unpack(thread, blockDim);
  return true;
}

bool Block::end_thread() {
  if (!suspended) return true;
  if (turn_) {
    if (leave_in_turn()) return false;
    leave_rounds();
  }
  track_every_thread();
  const unsigned thread = current_thread();
  threads_[thread].state = ThreadState::exited;
  --live_;
  WarpState &warp = warps_[thread / kWarpSize];
  warp.live &= ~(1u << thread % kWarpSize);
  if (at_barrier_ && at_barrier_ == live_) release_barrier();
  for (unsigned waiting = warp.waiting; waiting; waiting &= warp.waiting & (waiting - 1))
    complete_warp(thread / kWarpSize, warp.request[__builtin_ctz(waiting)].mask);
  return !turn_ && ready_head_ == ready_.size();
}

// From the first wait in a block on, the state of every thread is tracked. Before that, in forward
// order, all earlier threads have simply run to their ends.
void Block::begin_tracking(unsigned already_exited) {
  suspended = tracked_ = true;
  live_ = count - already_exited;
  at_barrier_ = 0;
  ready_.clear();
  ready_head_ = 0;
  for (unsigned t = 0; t < count; ++t)
    threads_[t].state = t < already_exited ? ThreadState::exited : ThreadState::free_to_run;
  for (unsigned w = 0; w < warps_.size(); ++w) {
    const unsigned first = w * kWarpSize, lanes = std::min(kWarpSize, count - first);
    const unsigned gone = already_exited <= first ? 0 : std::min(already_exited - first, lanes);
    const auto low_bits = [](unsigned n) { return n >= kWarpSize ? ~0u : (1u << n) - 1; };
    warps_[w].live = low_bits(lanes) & ~low_bits(gone);
    warps_[w].waiting = 0;
  }
}

// From here on threads_ and warps_ are right. What uses them asks for this first.
void Block::track_every_thread() {
  if (turn_ || first_round_) return leave_rounds();
  if (!tracked_) begin_tracking(next - 1);
}

void Block::suspend(Thread &thread) {
  thread.fiber = running_;
  running_->index = threadIdx;
  if (Fiber *to = choose_next(); to != running_) switch_to(running_, to);
}

void Block::switch_to(Fiber *self, Fiber *to) {
  running_ = to;
  threadIdx = to->index;
  switch_context(self->context, to->context);
}

void Block::make_ready(unsigned thread) {
  threads_[thread].state = ThreadState::free_to_run;
  ready_.push_back(static_cast<std::uint16_t>(thread));
}

// The block's threads, until all have ended or wait for other blocks.
void Block::go_on() { switch_to(&main_, choose_next()); }

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

// A thread that polls a flag would wait for ever for a later thread of its block, because threads run
// in turn. So it waits behind all others. If it is alone, the flag is another block's matter.
void Block::spin() {
  const unsigned number = current_thread();
  if (number != spinner_) spinner_ = number, spins_ = 0;
  idle_rounds_ = 0;
  if (++spins_ < kSpinsInOneTurn) return;
  spins_ = 0;
  track_every_thread();
  poll_later(number);
}

// Threads run one after the other, so that what one has read is as it was when it exchanges. On a GPU
// another may have changed it in between. Twice is enough to show what does not expect that: a lock that
// is tested and then taken is given back by an exchange, too.
// Under the checker a thread does so only where its last atomic, or its last look, was at the same variable:
// what two threads have between them is then unordered, whatever they exchange later.
void Block::give_way(const void *address) {
  const bool acts = decides(Look::by_atomic, address);
  if (acts) {
    pause_for_all(address);
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
  if (blocks_giving_way_) spin();
  remember(kind, address);
}

void Block::remember(Look kind, const void *address) {
  if (looked_ != current_thread()) looks_ = {};
  looked_ = current_thread();
  looks_[static_cast<unsigned>(kind)] = address;
  if (std::exchange(waits_, kNobody) == looked_) waited_for_ = address;
}

// Other atomics than exchanges, and writes to volatile variables, change what a thread has looked at before
// only where it decides by that. What a lock's owner has taken so it gives back so.
void Block::note_change(Look kind, const void *address) {
  const bool is_exchange = std::exchange(has_given_way_, nullptr) == address;
  if (!is_exchange && decides(kind, address) && is_among_first_to_give_way()) pause_for_all(address);
  if (kind == Look::by_atomic) remember(Look::any_atomic, address);
}

// What a thread reads and writes as a volatile variable may be a number that others read as it comes, unless a
// thread has waited for it.
bool Block::decides(Look change, const void *address) const {
  const bool is_flag = change == Look::by_atomic || waited_for_ == address;
  return has_looked(Look::by_atomic, address) || (is_flag && has_looked(Look::by_volatile, address));
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
  const Looks kept = looked_ == number ? looks_ : Looks{};
  track_every_thread();
  giving_way_.push_back(static_cast<std::uint16_t>(number));
  suspend(threads_[number]);
  looked_ = number;
  looks_ = kept;
}

// Asked when no thread can go on but those that give way. Other blocks may look, too, before one of these
// acts.
bool Block::gives_turn_to_blocks() {
  if (!std::exchange(for_blocks_, false) || grid_->block_count < 2) return false;
  waits_for_blocks_ = true;
  polling_.insert(polling_.end(), giving_way_.begin(), giving_way_.end());
  giving_way_.clear();
  main_.index = threadIdx;
  return true;
}

void Block::poll_later(unsigned thread) {
  polling_.push_back(static_cast<std::uint16_t>(thread));
  if (polling_.size() == live_) std::this_thread::yield();
  suspend(threads_[thread]);
}

// Threads that wait so go on when no other can. If they alone have had turns for long, nobody is left who
// could arrive.
void Block::await_arrivals(Site site) {
  track_every_thread();
  if (++idle_rounds_ > 4 * live_) fail_without_arrivals(site);
  poll_later(current_thread());
}

// What the block does from here on is its report, until fail() ends the launch.
bool Block::first_failure() {
  if (hooks) works_for_kernel = true;
  return !grid_->failure_reported.exchange(true);
}

void Block::break_launch_bound(unsigned most) {
  explain(with_commas(count) + " threads per block; its __launch_bounds__ allow " + with_commas(most));
  fail(cudaErrorLaunchOutOfResources);
}

void break_launch_bound(unsigned most) { current_block().break_launch_bound(most); }

void Block::fail(cudaError_t error) {
  if (hooks) works_for_kernel = false;
  int none = cudaSuccess;
  grid_->error.compare_exchange_strong(none, error);
  failed_ = true;
  Fiber *self = turn_ ? *turn_ : running_;
  running_ = nullptr;
  turn_ = nullptr;
  switch_context(self->context, main_.context);
  __builtin_unreachable();
}

}  // namespace cuda_on_cpu
