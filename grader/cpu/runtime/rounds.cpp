// Barriers that all threads of a block pass together, one after the other: the usual case, without
// any record of each thread. A round is what the threads do between two barriers. Each thread has
// its turn, waits, and switches directly to the next one:
//
//   turns_:  fiber of thread 0, thread 1, ... thread 7
//                               ^ turn_: it runs; those before it wait at barrier_site_, those after
//                                 it wait at the barrier before
//
// In the first round of a block the stacks after turn_ are still missing. In the last round nobody
// waits: every thread leaves the kernel in its turn. As soon as a thread does anything else (another
// barrier, a warp function, an early return), leave_rounds() writes down how each thread stands,
// and the block goes on as barrier.cpp and block.cpp describe. The next barrier begins rounds again.
#include <algorithm>

#include "block.hpp"
#include "cuda_on_cpu/virtual_device.hpp"

namespace cuda_on_cpu {
namespace {

constexpr Site kEndOfKernel{nullptr, 0};

bool is_same(Site a, Site b) { return a.line == b.line && a.path == b.path && a.file == b.file; }

}  // namespace

void Block::barrier(Site site) {
  Fiber **turn = turn_;
  if (!turn) return begin_or_wait(site);
  if (turn == turns_.data())
    barrier_site_ = site;  // the first thread of a round says where the others have to go
  else if (!is_same(site, barrier_site_))
    return wait_at_barrier(site);
  Fiber *self = *turn++;
  if (turn == turns_end_) [[unlikely]]
    return begin_next_round(self);
  turn_ = turn;
  // A stack is cold when its turn comes: 256 threads wait on more pages than the processor keeps
  // translations for, so the stack after the next one is fetched now.
  prefetch(turn[kFetchedAhead]->context);
  threadIdx = (*turn)->index;
  switch_context(self->context, (*turn)->context);
}

void Block::begin_next_round(Fiber *self) {
  note_barrier_passed();
  turn_ = turns_.data();
  threadIdx = (*turn_)->index;
  switch_context(self->context, (*turn_)->context);
}

void Block::begin_or_wait(Site site) {
  if (first_round_ && is_same(site, barrier_site_))
    return arrive_in_first_round();
  if (next == 1 && count > 1 && !first_round_) return begin_first_round(site);
  wait_at_barrier(site);
}

void Block::begin_first_round(Site site) {
  suspended = first_round_ = true;
  barrier_site_ = site;
  turns_.resize(count + kFetchedAhead);
  if (!tracked_) live_ = count;
  arrive_in_first_round();
}

void Block::arrive_in_first_round() {
  Fiber *self = running_;
  self->index = threadIdx;
  turns_[next - 1] = self;
  if (next < count) return switch_to(self, stacks_.take(executor_main));
  first_round_ = false;
  note_barrier_passed();
  begin_round_of(count);
  switch_to(self, *turn_);
}

// All threads that have not left the kernel wait at a barrier, and now go on.
void Block::begin_rounds() {
  turns_.clear();
  for (unsigned position = 0; position < count; ++position) {
    const unsigned thread = order_.empty() ? position : order_[position];
    if (threads_[thread].state != ThreadState::at_barrier) continue;
    threads_[thread].state = ThreadState::free_to_run;
    turns_.push_back(threads_[thread].fiber);
    if (live_ == 1) make_ready(thread);  // it cannot switch to itself
  }
  if (live_ == 1) return;
  turns_.resize(live_ + kFetchedAhead);
  begin_round_of(live_);
}

void Block::begin_round_of(unsigned threads) {
  std::copy_n(turns_.begin(), kFetchedAhead, turns_.begin() + threads);
  turn_ = turns_.data();
  turns_end_ = turn_ + threads;
}

// The end of the kernel, if the threads before this one came here in this round, too.
bool Block::leave_in_turn() {
  if (turn_ == turns_.data()) barrier_site_ = kEndOfKernel;
  if (barrier_site_.file) return false;
  if (++turn_ == turns_end_) {
    turn_ = nullptr;
    live_ = 0;
  }
  return true;
}

void Block::leave_rounds() {
  Fiber **running = turn_, **end = turns_end_;
  if (first_round_) running = turns_.data() + next - 1, end = running + 1;
  else running_ = *turn_;
  turn_ = nullptr;
  first_round_ = false;
  if (!tracked_) begin_tracking(0);
  const bool leaving = !barrier_site_.file;
  at_barrier_ = 0;
  for (Fiber **turn = turns_.data(); turn != end; ++turn) {
    if (turn == running) continue;
    const uint3 &index = (*turn)->index;
    const unsigned number = index.x + blockDim.x * (index.y + blockDim.y * index.z);
    Thread &thread = threads_[number];
    thread.fiber = *turn;
    if (turn > running) {
      make_ready(number);
    } else if (leaving) {
      thread.state = ThreadState::exited;
      warps_[number / kWarpSize].live &= ~(1u << number % kWarpSize);
      --live_;
    } else {
      thread.state = ThreadState::at_barrier;
      thread.site = barrier_site_;
      ++at_barrier_;
    }
  }
}

void barrier(Site caller) { current_block().barrier(caller); }

}  // namespace cuda_on_cpu
