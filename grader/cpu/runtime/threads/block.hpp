// The scheduler of one block. An executor fiber runs the block's threads one after another by plain
// calls. A thread that waits keeps the executor's stack, and the next executor continues with the
// threads after it:
//
//   executor 1:  thread 0 ... thread 6, thread 7 waits ----------> goes on after the barrier
//   executor 2:                         thread 8 waits ----------> ...
//
// Nothing needs to know whether a kernel has barriers: without one, all threads run on one stack
// and nothing is switched. Threads that can go on run before threads that have not started, so a
// kernel that only uses warp functions needs about 32 stacks. All waiting threads, including the
// last one to arrive, go on in the order in which they were started.
//
// Where the compiler has seen that all threads come to the same barriers, thread 0 does the work of
// all, and none waits: see whole_block.hpp.
//
// A thread's position is its place in this order. Threads that can go on are bits, one for each
// position, 32 of them in a group. Who waits switches to the next of them in its own group, then to
// those of the groups after it. In forward order a group is a warp: its stacks stay in the cache.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "threads/grid.hpp"
#include "threads/shared_arena.hpp"
#include "threads/stack_pool.hpp"
#include "threads/warp_state.hpp"

namespace cuda_on_cpu {

inline constexpr unsigned kTileSlotBytes = 32;
inline constexpr unsigned kRegions = 64;

using Group = std::uint32_t;  // a bit for each of 32 positions
inline constexpr unsigned kGroupSize = 32, kGroups = kMaxThreadsPerBlock / kGroupSize;
using Positions = std::array<Group, kGroups>;

// What a block keeps while it waits for other blocks, in grid.sync() or in a loop, and these run on
// its worker.
struct ParkedBlock {
  std::uint64_t number;
  uint3 index;
  Site site;  // of the barrier where threads wait
  unsigned live, at_barrier, predicates;
  bool waits_for_grid;  // the threads at the barrier are in grid.sync()
  Positions alive;
  std::vector<Fiber *> fibers;
  std::vector<WarpState> warps;
  std::vector<char> shared, tile_slots;
  std::deque<std::uint16_t> polling;
  std::vector<std::uint32_t> passed;
  std::bitset<2 * 1024> gave_way;
};
using ParkedBlocks = std::deque<ParkedBlock>;  // which a vector would copy when it grows

class Block : public BlockProgress {
 public:
  Block();
  ~Block();
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;

  void run_blocks_of(Grid &grid);  // until the grid has no block left
  void run_cooperatively(Grid &grid);  // all blocks, in rounds from one grid.sync() to the next
  void run_in_clusters(Grid &grid);    // one after another; each in rounds, by its cluster.sync()

  // Called by the threads of the block. Who arrives somewhere waits there: the result is the stack
  // to switch to.
  bool start_next_thread();
  bool end_thread();
  void run_whole();  // the running thread, the first one, does the work of all: whole_block.hpp
  void set_turn(unsigned position);
  void pass_barrier() { note_barrier_passed(); }
  char *take_kept(std::size_t bytes);  // until the block ends, or it is given back
  void give_back_kept() { --kept_; }
  Fiber &arrive_at_barrier(Site site);
  Fiber &arrive_at_grid_barrier(Site site);
  Fiber &arrive_at_cluster_barrier(Site site);
  void begin_in_cluster(const dim3 &cluster);
  char *shared_of(unsigned rank, char *own, Site caller);
  unsigned rank_of_shared(const char *address) const;
  Fiber &arrive_and_count(bool predicate, Site site);
  Fiber &arrive_in_warp(const WarpRequest &request, Site site);
  void tile_barrier(unsigned size, Site site);
  char *tile_slot(unsigned thread) { return tile_slots_.data() + thread * kTileSlotBytes; }
  void went_past(unsigned region);
  void spin();  // a round of a loop that may wait for another thread
  // before an exchange: the others run until they come to one, too
  void give_way(const void *address);
  // Where a checker watches: a look at what other threads change, and a change of it.
  enum class Look { by_volatile, by_atomic, any_atomic };
  void note_look(Look kind, const void *address);
  void note_change(Look kind, const void *address);
  void note_wait() { waits_ = current_thread(); }
  void await_arrivals(Site site);  // the same, for a thread of this block to arrive somewhere
  void note_arrival() { idle_rounds_ = 0; }
  char *reserve_shared(SharedVariable variable, std::size_t alignment, const void *occurrence,
                       Site declaration);
  void count_texture_fetch(std::size_t bytes) {
    ++texture_fetches_;
    texture_bytes_ += bytes;
  }
  [[noreturn]] void break_launch_bound(unsigned most);
  bool first_failure();                       // of the launch: only this one is reported
  [[noreturn]] void fail(cudaError_t error);  // ends the launch; waiting threads are abandoned

  // Read by signal handlers, also those of other threads.
  const Grid *grid() const { return grid_; }
  const uint3 &thread_index() const { return *thread_index_; }
  const uint3 &block_index() const { return *block_index_; }
  bool owns_stack(const char *address) const { return stacks_.contains(address); }
  bool has_no_shared_memory(const char *address) const { return shared_.is_closed_at(address); }
  bool has_shared_memory_at(const char *address) const { return shared_.contains(address); }
  bool is_in_cluster() const { return volume(grid_->cluster) > 1; }
  const Fiber *running_fiber() const { return running_; }
  Fiber *running() { return running_; }

 private:
  void note_spinner();
  void count_spin(unsigned most);
  void prepare(Grid &grid);
  void finish(Grid &grid);
  class ToBegin;
  void run_one_block(std::uint64_t index);
  void run_cluster(Grid &grid, std::uint64_t cluster);
  void enter_window(std::uint64_t number);
  ParkedBlock park(std::uint64_t index);
  void take_up(ParkedBlock &parked);
  void resume(ParkedBlock &parked);
  bool is_full(const Grid &grid) const;
  void make_room(Grid &grid, ParkedBlocks &parked);
  void rest_if_full(Grid &grid);
  void end_of_room(Grid &grid);
  void run_parked(Grid &grid, ParkedBlocks &parked);
  template <class PutAside>
  void take_turns(ParkedBlocks &parked, void (Block::*resume)(ParkedBlock &), PutAside put_aside);
  void resume_polling(ParkedBlock &parked);
  bool is_stuck();
  bool has_looked(Look kind, const void *address) const {
    return looked_ == current_thread() && looks_[static_cast<unsigned>(kind)] == address;
  }
  bool decides(Look change, const void *address) const;
  bool is_among_first_to_give_way();
  void remember(Look kind, const void *address);
  void pause();
  void let_others_run();
  void rest_before_write();
  void pause_for_all(const void *address);
  bool gives_turn_to_blocks();
  static void executor_main();
  void begin_tracking(unsigned already_exited);
  Fiber &arrive_slowly(Site site);
  Fiber &begin_in_warp(const WarpRequest &request, Site site);
  Fiber &complete_and_go_to_next(unsigned warp, unsigned mask);
  Fiber &begin_wait();
  void note_thread(Fiber &fiber);
  void suspend(Fiber &self);
  Fiber &go_to_next();
  void switch_to(Fiber *self, Fiber *to);
  Fiber *choose_next();
  void go_on();
  Fiber *choose_from_ready();
  Fiber *choose_without_ready();
  void make_ready(unsigned thread);
  void make_lanes_ready(unsigned warp, unsigned lanes);
  void release_barrier();
  void note_barrier_passed();
  bool complete_warp(unsigned warp, unsigned mask);
  [[noreturn]] void fail_outside_mask(const WarpRequest &request, Site site);
  [[noreturn]] void fail_different_functions(unsigned warp, unsigned lanes);
  void judge_lanes(unsigned warp, unsigned mask, unsigned lanes);
  bool is_ahead(unsigned thread, unsigned other) const;
  void compute_warp_results(unsigned warp, unsigned lanes);
  long long shuffled_value(unsigned warp, unsigned lanes, unsigned lane);
  bool resolve_active_masks();
  [[noreturn]] void fail_deadlock();
  [[noreturn]] void fail_without_arrivals(Site site);
  void poll_later();
  [[noreturn]] void fail_divergent_barrier(Site site);
  const char *awaited_by(unsigned thread) const;
  Site site_of(unsigned thread) const;
  bool is_live(unsigned thread) const {
    return warps_[thread / kWarpSize].live >> thread % kWarpSize & 1;
  }
  void order_threads(std::uint64_t block);
  unsigned position_of(unsigned thread) const {
    return positions_.empty() ? thread : positions_[thread];
  }
  static unsigned current_thread() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }

  Grid *grid_ = nullptr;
  std::vector<Fiber *> fibers_;           // by position: whose thread has waited
  std::vector<std::uint16_t> order_;      // thread at each position; empty in forward order
  std::vector<std::uint16_t> positions_;  // of each thread; empty in forward order
  Positions alive_{};          // threads that have not left the kernel
  Positions ready_{};          // threads that can go on, after those in now_
  unsigned ready_groups_ = 0;  // a bit for each group in ready_
  unsigned group_ = 0;         // where the next one is looked for first
  Group now_ = 0;              // threads that can go on, of one group
  Fiber **now_fibers_ = nullptr;  // of that group
  std::vector<std::uint16_t> giving_way_;
  std::bitset<2 * 1024> gave_way_;     // in this block, by thread: once, twice
  using Looks = std::array<const void *, 3>;
  Looks looks_{};        // where a checker watches: the last of each kind
  unsigned looked_ = 0;  // the thread that did so last
  const void *has_given_way_ = nullptr;  // before the exchange that follows
  static constexpr unsigned kNobody = ~0u;
  // the thread that is in a loop which does nothing but wait, before it looks
  unsigned waits_ = kNobody;
  const void *waited_for_ = nullptr;
  unsigned blocks_giving_way_ = 0;   // of the launch
  unsigned rests_ = 0;               // of the launch
  unsigned owner_ = kNobody;         // the thread that has exchanged what it had looked at
  bool gives_way_ = false;           // this block is one of them
  bool for_blocks_ = false;          // and other blocks have a turn before it goes on
  std::deque<std::uint16_t> polling_;  // threads that go on when no other can
  unsigned spinner_ = 0, spins_ = 0;  // who called spin() last, and how often without a break
  unsigned idle_spins_ = 0;           // how often without a change between, where a checker watches
  const void *changed_ = nullptr;     // what it has changed since
  unsigned turns_of_polling_ = 0;  // since the block began or was taken up
  static constexpr unsigned kLeastPatience = 3;
  unsigned patience_ = kLeastPatience;  // how often each polls before other blocks have a turn
  bool waits_for_blocks_ = false;  // no thread of it can go on, and some poll
  unsigned idle_rounds_ = 0;  // of await_arrivals(), since any thread did anything else
  unsigned live_ = 0;  // threads that have not left the kernel
  unsigned at_barrier_ = 0;
  Site barrier_site_{};      // of the first thread that waits
  unsigned predicates_ = 0;  // how many waiting threads had a true predicate
  long long predicate_result_ = 0;
  std::uint64_t barriers_passed_ = 0, texture_fetches_ = 0, texture_bytes_ = 0;
  bool failed_ = false;
  bool is_whole_ = false;  // one thread runs for all
  std::vector<std::vector<std::max_align_t>> kept_values_;  // the last taken comes back first
  std::size_t kept_ = 0;
  // the threads at the barrier called grid.sync(), or cluster.sync()
  bool waits_for_grid_ = false;
  bool passes_cluster_ = false;  // a barrier of the cluster ends: who has left counts as arrived

  std::vector<WarpState> warps_;
  std::vector<std::uint32_t> passed_;  // of each thread: how often it went past each region
  std::vector<char> tile_slots_;  // one value per thread: tile.cpp
  SharedArena shared_;
  StackPool stacks_;
  Fiber main_;  // the operating-system thread's own stack
  Fiber *running_ = &main_;  // where no thread runs
  const uint3 *thread_index_, *block_index_;
};

// A turn for each. `put_aside` may put it there again, by its number; after an error no block has a
// turn.
template <class PutAside>
void Block::take_turns(ParkedBlocks &parked, void (Block::*resume)(ParkedBlock &),
                       PutAside put_aside) {
  ParkedBlocks turns;
  turns.swap(parked);
  for (ParkedBlock &block : turns) {
    const std::uint64_t number = block.number;
    if (!grid_->error) (this->*resume)(block);
    if (!grid_->error) put_aside(number);
  }
}

inline void Block::switch_to(Fiber *self, Fiber *to) {
  running_ = to;
  threadIdx = to->index;
  switch_context(self->context, to->context, *to->result);
}

// Threads that can go on first, then threads that have not started, then those that poll.
inline Fiber *Block::choose_next() {
  const Group now = now_, rest = now & (now - 1);
  if (!now) return choose_from_ready();
  now_ = rest;
  // A stack is cold when its turn comes: the threads of a block wait on more pages than the
  // processor keeps translations for. To find one takes longer than a switch or two. So a stack is
  // fetched four turns before its own.
  constexpr unsigned kAhead = 4;
  const unsigned first = static_cast<unsigned>(__builtin_ctz(now)), ahead = first + kAhead;
  if (ahead < kGroupSize && now >> ahead & 1) prefetch(now_fibers_[ahead]->context);
  return now_fibers_[first];
}

// The stack of the running thread, which is about to wait.
inline Fiber &Block::begin_wait() {
  if (!suspended) begin_tracking(next - 1);
  if (running_->position == kNoThread) note_thread(*running_);
  return *running_;
}

// The stack to switch to.
inline Fiber &Block::go_to_next() {
  running_ = choose_next();
  threadIdx = running_->index;
  return *running_;
}

// Names of files by their addresses: what differs here may still be one place, see arrive_slowly().
inline bool is_same(Site a, Site b) {
  return a.line == b.line && a.path == b.path && a.file == b.file;
}

// Most threads come to a barrier where others of their group have come before, and will after them.
inline Fiber &Block::arrive_at_barrier(Site site) {
  if (!now_ || running_->position == kNoThread || !is_same(site, barrier_site_))
    return arrive_slowly(site);
  ++at_barrier_;
  return go_to_next();
}

// The running thread waits here until something makes it ready.
inline void Block::suspend(Fiber &self) {
  if (Fiber *to = choose_next(); to != &self) switch_to(&self, to);
}

Block &this_block();  // of the calling operating-system thread

// The same, but cheaper; only inside a kernel.
inline Block &current_block() { return *static_cast<Block *>(block_progress); }

}  // namespace cuda_on_cpu
