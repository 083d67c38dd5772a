// Cooperative groups: smaller groups made from larger ones.
#pragma once

#include <type_traits>
#include <utility>

#include "groups.hpp"

#pragma GCC visibility push(default)

namespace cooperative_groups {

template <unsigned Size, class Parent = void>
class thread_block_tile : public LaneGroup {
  static_assert(Size >= 1 && (Size & (Size - 1)) == 0, "a tile's size is a power of two");
  static_assert(Size <= 1024, "a tile is at most as large as a block");

 public:
  static constexpr unsigned size() { return Size; }
  static constexpr unsigned num_threads() { return Size; }
  template <class T>
  T shfl_xor(T value, unsigned lane_mask, CUDA_ON_CPU_CALLER) const {
    const unsigned source = thread_rank() ^ lane_mask;
    return lanes_.exchange(value, source < Size ? source : thread_rank(), caller);
  }
  // Converts from a tile with any parent: the new tile does not know its parent's type.
  template <class Other>
  thread_block_tile(const thread_block_tile<Size, Other> &other)
      : LaneGroup(other.lanes(), other.meta_group_rank(), other.meta_group_size()) {}
  thread_block_tile(unsigned meta_rank, unsigned meta_size)
      : LaneGroup(lanes_of_caller(), meta_rank, meta_size) {}

 private:
  static ::cuda_on_cpu::Lanes lanes_of_caller() {
    if constexpr (Size > 32)
      return {0, Size};
    else
      return {(~0u >> (32 - Size)) << ::cuda_on_cpu::rank_in_block() % 32 / Size * Size};
  }
};

template <unsigned Size>
thread_block_tile<Size, thread_block> tiled_partition(const thread_block &block) {
  return {block.thread_rank() / Size, (block.size() + Size - 1) / Size};
}
template <unsigned Size, unsigned ParentSize, class Grandparent>
thread_block_tile<Size, thread_block_tile<ParentSize>> tiled_partition(
    const thread_block_tile<ParentSize, Grandparent> &parent) {
  static_assert(Size <= ParentSize, "a tile cannot be larger than the tile it is cut from");
  return {parent.thread_rank() / Size, ParentSize / Size};
}

// The caller's part when the ranks are divided into parts of `size`.
inline ::cuda_on_cpu::Lanes lanes_of_part(const ::cuda_on_cpu::Lanes &whole, unsigned size) {
  const unsigned first = whole.rank() / size * size;
  unsigned mask = 0;
  for (unsigned rank = first; rank < first + size && rank < whole.size(); ++rank)
    mask |= 1u << whole.lane_of(rank);
  return {mask};
}
inline coalesced_group tiled_partition(const coalesced_group &parent, unsigned size) {
  return coalesced_group(lanes_of_part(parent.lanes(), size), parent.thread_rank() / size,
                         (parent.size() + size - 1) / size);
}
template <unsigned Size>
coalesced_group tiled_partition(const coalesced_group &parent) {
  return tiled_partition(parent, Size);
}
inline thread_group tiled_partition(const thread_group &parent, unsigned size, CUDA_ON_CPU_CALLER) {
  if (size == 0 || size > 32 || (size & (size - 1))) __trap(caller);
  const unsigned first_of_warp = ::cuda_on_cpu::rank_in_block() / 32 * 32;
  const unsigned rest = thread_block::size() - first_of_warp;
  const ::cuda_on_cpu::Lanes warp{rest < 32 ? (1u << rest) - 1 : ~0u};
  return thread_group(lanes_of_part(parent.lanes().mask ? parent.lanes() : warp, size));
}

// One group per value of `label`, in the order of the groups' first threads.
template <class Group, class Label>
coalesced_group labeled_partition(const Group &parent, Label label, CUDA_ON_CPU_CALLER) {
  const ::cuda_on_cpu::Lanes &lanes = parent.lanes();
  const unsigned equal = lanes.match(label, caller);
  const unsigned own_leader = static_cast<unsigned>(std::countr_zero(equal));
  const unsigned leaders = lanes.ballot(parent.thread_rank() == own_leader, caller);
  unsigned mask = 0;
  for (unsigned rest = equal; rest; rest &= rest - 1)
    mask |= 1u << lanes.lane_of(static_cast<unsigned>(std::countr_zero(rest)));
  return coalesced_group(::cuda_on_cpu::Lanes{mask},
                         static_cast<unsigned>(std::popcount(leaders & ((1u << own_leader) - 1))),
                         static_cast<unsigned>(std::popcount(leaders)));
}
template <class Group>
coalesced_group binary_partition(const Group &parent, bool predicate, CUDA_ON_CPU_CALLER) {
  return labeled_partition(parent, static_cast<int>(predicate), caller);
}

// Which thread it is nobody may rely on: on a GPU that of the lowest rank, or any.
template <class Group, class Function, class... Argument>
void invoke_one(const Group &group, Function &&function, Argument &&...arguments) {
  if (group.thread_rank() == 0)
    std::forward<Function>(function)(std::forward<Argument>(arguments)...);
}

// Of threads of a warp; each gets what the function returned.
template <class Group, class Function, class... Argument>
auto invoke_one_broadcast(const Group &group, Function &&function, Argument &&...arguments) {
  using Result = std::invoke_result_t<Function, Argument...>;
  static_assert(!std::is_void_v<Result>, "a function that returns nothing is for invoke_one");
  std::remove_cvref_t<Result> result{};
  if (group.thread_rank() == 0)
    result = std::forward<Function>(function)(std::forward<Argument>(arguments)...);
  return group.shfl(result, 0);
}

}  // namespace cooperative_groups

#pragma GCC visibility pop
