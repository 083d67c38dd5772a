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

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "record.hpp"

namespace cuda_on_cpu::check {

class Timeline {
 public:
  void begin_launch();
  void begin_block(std::uint64_t block);
  void barrier();
  void synchronise_lanes(unsigned warp, unsigned lanes);

  void fence(unsigned thread, bool block_only);
  // An atomic or volatile access of `bytes` bytes publishes what came before the last fence, and
  // itself.
  void release(unsigned thread, const void *flag, std::size_t bytes, Strength strength);
  void acquire(unsigned thread, const void *flag);

  Record now(unsigned thread, Strength strength, std::uint32_t site) const {
    return {epoch_, site, pack_who(thread, strength), clock_of(thread)};
  }
  // Is a record of this launch not ordered before `now`? Both accessed `address`.
  bool unordered(const Record &earlier, const Record &now, const char *address) const {
    if (earlier.epoch < now.epoch && earlier.epoch >= block_begin_) return false;  // a barrier
    if (earlier.epoch == now.epoch &&
        (earlier.same_thread(now) ||
         (earlier.same_warp(now) && seen_[now.thread()][earlier.lane()] >= earlier.clock)))
      return false;
    return !any_fence_ || !published({earlier, address}, now.thread());
  }
  // Is the order of two accesses a matter of their epochs and threads alone? So it is until the
  // launch has a fence, and until the block has synchronised a warp since its last barrier.
  // Has the thread called a fence in this block?
  bool has_fence(unsigned thread) const { return any_fence_ && fences_.contains(thread); }
  bool only_barriers() const { return !any_fence_ && warps_with_clocks_ == 0; }
  std::uint32_t epoch() const { return epoch_; }
  static constexpr std::uint16_t kFirstClock = 1;  // of every thread after a barrier

  std::uint32_t launch_begin() const { return launch_begin_; }
  std::uint32_t block_begin() const { return block_begin_; }
  bool of_this_block(const Record &record) const { return record.epoch >= block_begin_; }
  std::uint64_t block_of(const Record &record) const;

 private:
  using Clocks = std::array<std::uint16_t, 32>;  // one per lane of a warp

  // What a thread's fence made visible: everything its block did before `epoch`, and in `epoch`
  // what the thread knew of its warp.
  struct Fence {
    std::uint32_t block_begin = 0, epoch = 0;
    unsigned thread = 0;
    Clocks seen{};
    bool block_only = false;  // __threadfence_block()
    bool covers(const Record &earlier) const;
  };
  struct Past {
    const Record &record;
    const char *address;
  };
  struct Known {
    const void *flag;
    std::size_t releases;  // how many of the flag's releases, from the first
  };
  using Knowledge = std::vector<Known>;  // each flag once
  struct Release {
    Record atomic;
    std::size_t bytes;
    Fence fence;
    Knowledge known;  // what a thread learns from this release, with that of the earlier ones
  };

  std::uint16_t clock_of(unsigned thread) const { return seen_[thread][thread % 32] + 1; }
  void forget_clocks();
  void share_fences(unsigned warp, unsigned lanes);
  bool published(const Past &past, unsigned thread) const;
  bool published_by(const Known &known, const Past &past) const;
  Knowledge known_to(unsigned thread) const;
  static void learn(Knowledge &knowledge, const Knowledge &more);

  std::uint32_t epoch_ = 1, launch_begin_ = 1, block_begin_ = 1;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> blocks_;  // first epoch, block
  Clocks seen_[1024]{};  // what each thread knows of its warp; its own entry: clock - 1
  std::uint32_t warps_with_clocks_ = 0;

  bool any_fence_ = false;                      // in this launch
  std::unordered_map<unsigned, Fence> fences_;  // of this block's threads
  std::unordered_map<const void *, std::vector<Release>> flags_;
  std::unordered_map<unsigned, Knowledge> thread_knows_;
  Knowledge block_knows_;
};

}  // namespace cuda_on_cpu::check
