// Tiles of several warps: a barrier of a part of the block, and an exchange of values in this part.
#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "base/hooks.hpp"
#include "cuda_on_cpu/group_lanes.hpp"
#include "cuda_on_cpu/virtual_device.hpp"
#include "threads/block.hpp"

namespace cuda_on_cpu {

void Block::tile_barrier(unsigned size, Site site) {
  Fiber &self = begin_wait();
  if (tile_slots_.empty()) tile_slots_.resize(kMaxThreadsPerBlock * kTileSlotBytes);
  const unsigned number = self.number, first = number / size * size;
  WarpState &own = warps_[number / kWarpSize];
  own.site[number % kWarpSize] = site;
  own.at_tile_barrier |= 1u << number % kWarpSize;
  const std::span warps = std::span(warps_).subspan(
      first / kWarpSize, (std::min(first + size, count) - first + kWarpSize - 1) / kWarpSize);
  if (std::ranges::all_of(warps, [](const WarpState &warp) {
        return warp.at_tile_barrier == warp.live;
      })) {
    if (hooks) hooks->block_synchronised();
    for (WarpState &warp : warps)
      make_lanes_ready(static_cast<unsigned>(&warp - warps_.data()),
                       std::exchange(warp.at_tile_barrier, 0));
    group_ = first / kWarpSize;
  }
  suspend(self);
}

void tile_barrier(unsigned size, Site caller) { current_block().tile_barrier(size, caller); }

void tile_exchange(unsigned size, unsigned rank, void *value, std::size_t bytes, Site caller) {
  Block &block = current_block();
  block.tile_barrier(size, caller);  // all threads have read the values of the last exchange
  std::memcpy(block.tile_slot(rank_in_block()), value, bytes);
  block.tile_barrier(size, caller);
  std::memcpy(value, block.tile_slot(rank_in_block() / size * size + rank), bytes);
}

unsigned tile_count(unsigned size, bool predicate, Site caller) {
  char mine = predicate;
  tile_exchange(size, 0, &mine, 1, caller);
  const unsigned first = rank_in_block() / size * size;
  unsigned sum = 0;
  for (unsigned rank = 0; rank < size && first + rank < volume(blockDim); ++rank)
    sum += *current_block().tile_slot(first + rank) != 0;
  return sum;
}

}  // namespace cuda_on_cpu
