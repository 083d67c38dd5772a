// Tiles of several warps: a barrier of a part of the block, and an exchange of values in this part.
#include <algorithm>
#include <cstring>

#include "block.hpp"
#include "cuda_on_cpu/group_lanes.hpp"
#include "cuda_on_cpu/virtual_device.hpp"
#include "hooks.hpp"

namespace cuda_on_cpu {

void Block::tile_barrier(unsigned size, Site site) {
  track_every_thread();
  if (tile_slots_.empty()) tile_slots_.resize(kMaxThreadsPerBlock * kTileSlotBytes);
  const unsigned number = current_thread();
  const unsigned first = number / size * size, last = std::min(first + size, count);
  threads_[number].site = site;
  threads_[number].state = ThreadState::at_tile_barrier;
  const auto arrived = [](const Thread &thread) {
    return thread.state == ThreadState::at_tile_barrier || thread.state == ThreadState::exited;
  };
  if (std::all_of(threads_.begin() + first, threads_.begin() + last, arrived)) {
    if (hooks) hooks->block_synchronised();
    for (unsigned position = 0; position < count; ++position) {
      const unsigned thread = order_.empty() ? position : order_[position];
      if (thread >= first && thread < last && threads_[thread].state != ThreadState::exited)
        make_ready(thread);
    }
  }
  suspend(threads_[number]);
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
