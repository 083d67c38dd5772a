// Which accesses are ordered, and by what.
//
// Time is divided into epochs, numbered through the whole run of the program: each block begins one
// and each barrier begins the next. Blocks run one after the other, so two epochs are enough to
// tell whether a barrier, a launch or nothing is between two accesses. Inside one epoch the lanes
// of a warp have clocks, which they exchange at __syncwarp(). Blocks are ordered only by
// __threadfence() and an atomic on one address. A thread that sees such an atomic is ordered after
// what the fence covers. At the atomic's own address it is also ordered after the atomic, which the
// fence before it does not cover.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "flags.hpp"
#include "kernel_heap.hpp"
#include "knowledge.hpp"
#include "record.hpp"

namespace cuda_on_cpu::check {

// Of a child grid among those of its parent: after the earlier ones of its stream, after all others
// and the parent itself (cudaStreamTailLaunch), or after none (cudaStreamFireAndForget).
enum class ChildOrder { in_stream, last, alone };

class Timeline {
 public:
  void begin_launch();  // by the host
  void pass_grid();     // everything before is ordered before everything after
  // The blocks that begin from here on are one cluster; all it did is ordered before what it does.
  void begin_cluster();
  void pass_cluster() { cluster_passed_ = last_epoch_ + 1; }
  // A thread launches a child grid (see family.cpp): the number for begin_child(), which follows
  // when the launching grid has ended.
  std::size_t launch_child(unsigned thread, std::uint64_t stream, ChildOrder order);
  void begin_child(std::size_t number);
  void begin_block(std::uint64_t block);
  void barrier();
  // The block waits for others, which run in between.
  void put_aside(std::uint64_t block);
  void take_up(std::uint64_t block);
  void synchronise_lanes(unsigned warp, unsigned lanes);

  void fence(unsigned thread, bool block_only);
  // An atomic or volatile access of `bytes` bytes publishes what came before the last fence, and
  // itself. Returns whether the thread has called one.
  bool release(unsigned thread, const void *flag, std::size_t bytes, Strength strength);
  void acquire(unsigned thread, const void *flag);
  // A relaxed one: what was published there is known after the thread's next fence or barrier.
  void look(unsigned thread, const void *flag);

  Record now(unsigned thread, Strength strength, std::uint32_t site,
             Width width = Width::unknown) const {
    return {epoch_, site, pack_who(thread, strength, width), clock_of(thread)};
  }
  // Is a record of this launch not ordered before `now`? Both accessed `address`.
  bool unordered(const Record &earlier, const Record &now, const char *address) const {
    if (is_child_ && earlier.epoch < grids_.back().begin) return !before_child({earlier, address});
    return !before_in_block(earlier, now.thread()) && !before_in_cluster(earlier) &&
           (!any_fence_ || !published({earlier, address}, now.thread()));
  }
  // Has any thread of the launch called a fence that others than its block see?
  bool has_wide_fence() const { return wide_fence_; }
  Told told() const { return {flags_.told(), launch_begin_, flags_.empty()}; }
  // Has the thread called a fence in this block?
  bool has_fence(unsigned thread) const { return any_fence_ && fences_.contains(thread); }
  std::uint32_t epoch() const { return epoch_; }

  std::uint32_t grid_begin() const { return grids_.back().begin; }
  std::uint32_t launch_begin() const { return launch_begin_; }  // or of what follows grid.sync()
  std::uint32_t block_begin() const { return block_begin_; }
  // What is older has no meaning any more for shared memory, which the blocks of a cluster share.
  std::uint32_t shared_begin() const { return shared_begin_; }
  bool of_this_cluster(const Record &record) const {
    return cluster_begin_ && record.epoch >= cluster_begin_;
  }
  bool of_this_block(const Record &record) const {
    return record.epoch >= block_begin_ && record.epoch <= epoch_;
  }
  std::uint64_t block_of(const Record &record) const;
  // The grid of a record of this launch, or of one of the grids that it has led to.
  std::size_t grid_of(const Record &record) const;
  // itself, or the grid before it, ...
  bool launched_by(std::size_t grid, std::size_t other) const;

 private:
  struct Past {
    const Record &record;
    const char *address;
  };

  bool before_in_block(const Record &earlier, unsigned thread) const {
    // a barrier
    if (earlier.epoch != epoch_) return earlier.epoch < epoch_ && earlier.epoch >= block_begin_;
    if (earlier.thread() == thread) return true;
    return earlier.thread() / 32 == thread / 32 && seen_[thread][earlier.lane()] >= earlier.clock;
  }
  bool before_in_cluster(const Record &earlier) const {
    return earlier.epoch < cluster_passed_ && earlier.epoch >= cluster_begin_;
  }
  void set_block_begin(std::uint32_t epoch) {
    block_begin_ = epoch;
    shared_begin_ = cluster_begin_ ? cluster_passed_ : epoch;
  }
  std::uint16_t clock_of(unsigned thread) const {
    return warps_with_clocks_ ? seen_[thread][thread % 32] + 1 : 1;
  }
  void forget_clocks();
  [[noreturn]] static void end_of_epochs();
  void share_fences(unsigned warp, unsigned lanes);
  bool published(const Past &past, unsigned thread) const;
  Knowledge &knowledge_of(unsigned thread) {
    return thread_knows_.try_emplace(thread, block_knows_).first->second;
  }
  void understand(unsigned thread);  // what it saw
  const Knowledge &known_to(unsigned thread) const;

  // What was over when a child grid was launched, and in which order it runs among others.
  struct Origin {
    std::size_t grid;  // that launched it
    Fence before;
    Knowledge known;
    std::uint64_t stream;  // its number; 0: the default one
    ChildOrder order;
  };
  struct Grid {
    std::uint32_t begin;  // its first epoch; it ends where the next one begins
    std::size_t origin;   // of grids by the host: kNone
  };
  static constexpr std::size_t kNone = ~std::size_t{0};
  // A thread's clock is one more than its entry. After the last value the clock is 0, which every
  // thread already knows: from then on the lanes of a warp count as ordered.
  static constexpr std::uint16_t kFullClock = 0xffff;

  bool before_child(const Past &past) const;
  bool in_order(const Origin &first, const Origin &second) const;
  std::size_t parent_of(std::size_t grid) const;

  bool is_child_ = false;
  std::vector<Origin> origins_;  // of all children of this launch
  std::vector<Grid> grids_;

  std::uint32_t epoch_ = 1, launch_begin_ = 1, block_begin_ = 1;
  std::uint32_t shared_begin_ = 1;
  std::uint32_t cluster_begin_ = 0, cluster_passed_ = 0;  // 0: there are no clusters
  std::uint32_t last_epoch_ = 1;  // the greatest so far, or kept for a block that waits
  std::uint32_t own_end_ = 0;     // of a block that has waited: the last epoch that is kept for it
  std::vector<std::pair<std::uint32_t, std::uint64_t>> blocks_;  // first epoch, block
  LaneClocks seen_[1024]{};  // what each thread knows of its warp; its own entry: clock - 1
  std::uint32_t warps_with_clocks_ = 0;

  // Of a block that waits. Its next barriers begin epochs that follow its own, as they would have
  // if it had not waited: so the epochs of a block are side by side, and no other block's are among
  // them.
  struct Aside {
    std::uint32_t epoch, block_begin, own_end, warps_with_clocks;
    std::vector<LaneClocks> seen;
    UnlistedMap<unsigned, Fence> fences;
    UnlistedMap<unsigned, Knowledge> thread_knows, thread_saw;
    Knowledge block_knows;
  };
  std::unordered_map<std::uint64_t, Aside> aside_;
  bool any_fence_ = false;                      // in this launch
  // one that others than the block see, also before grid.sync()
  bool wide_fence_ = false;
  UnlistedMap<unsigned, Fence> fences_;  // of this block's threads
  Flags flags_;
  // What the block knows by its last barrier, and with that what those threads know that learnt
  // since.
  Knowledge block_knows_;
  UnlistedMap<unsigned, Knowledge> thread_knows_;
  UnlistedMap<unsigned, Knowledge> thread_saw_;  // relaxed
};

}  // namespace cuda_on_cpu::check
