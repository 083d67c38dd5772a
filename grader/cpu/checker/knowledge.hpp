// What somebody has learnt from flags: which accesses of other blocks are over.
//
// A clock of every block that has told of its fences. Two that meet become one: so what a thread
// knows does not grow with the flags it reads, but with the blocks and warps that tell something.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernel_heap.hpp"
#include "record.hpp"

namespace cuda_on_cpu::check {

using LaneClocks = std::array<std::uint16_t, 32>;  // one per lane of a warp

// What a thread's fence made visible: everything its block did before `epoch`, and in `epoch`
// what the thread knew of its warp.
struct Fence {
  std::uint32_t block_begin = 0, epoch = 0;
  unsigned thread = 0;
  LaneClocks seen{};
  bool block_only = false;  // __threadfence_block()

  bool covers(const Record &earlier) const;
  unsigned warp() const { return thread / 32; }
};

class Knowledge {
 public:
  // For a thread of the block that began with `own_block`.
  bool covers(const Record &earlier, std::uint32_t own_block) const;
  void learn(const Knowledge &more);
  void learn(const Fence &fence);

 private:
  // By block, those for all blocks first, then by warp. Only a block's latest epoch: it covers the
  // others.
  using Fences = std::vector<Fence, Unlisted<Fence>>;
  std::span<const Fence> fences() const;
  void join(std::span<const Fence> more);

  // Many flags hold what one thread told, so they share it. Never changed, only replaced.
  std::shared_ptr<const Fences> fences_;
};

// What a launch has told by its flags, whoever looks at them.
struct Told {
  Knowledge known;
  std::uint32_t since = 0;  // what was before is over for all blocks, since grid.sync()
  bool is_all = true;       // it has no flags that are known

  bool covers(const Record &record) const {
    return is_all || record.epoch < since || known.covers(record, 0);
  }
};

}  // namespace cuda_on_cpu::check
