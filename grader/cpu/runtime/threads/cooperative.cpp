// grid.sync(): all blocks of a cooperative grid run on one worker. Each block in turn runs up to
// its grid.sync(), then each in turn runs up to the next. A block that waits is put aside with its
// threads' states and its shared memory; the threads' stacks stay where they are. Blocks that poll
// what others write take turns before the rest goes on (parked_blocks.cpp).
#include "base/hooks.hpp"
#include "base/kernel_runs.hpp"
#include "messages/diagnostics.hpp"
#include "messages/text.hpp"
#include "threads/block.hpp"

namespace cuda_on_cpu {

void Block::run_cooperatively(Grid &grid) {
  prepare(grid);
  block_progress = this;
  kernel_runs = true;
  const BlockOrder block_at(grid.order, grid.block_count);
  ParkedBlocks waiting, polling;
  const auto put_aside = [&](std::uint64_t number) {
    // Some of its threads may be in grid.sync() while others still poll: those have to arrive
    // first.
    if (waits_for_blocks_) polling.push_back(park(number));
    else if (waits_for_grid_) waiting.push_back(park(number));
  };
  for (std::uint64_t position = 0; position < block_at.count() && !grid.error; ++position) {
    run_one_block(block_at(position));
    put_aside(block_at(position));
  }
  while (!(waiting.empty() && polling.empty()) && !grid.error) {
    if (!polling.empty()) {
      take_turns(polling, &Block::resume_polling, put_aside);
      continue;
    }
    if (waiting.size() != block_at.count()) {
      report("barrier",
             "kernel %s: %zu blocks wait in grid.sync() at %s, %zu blocks have left the kernel: a "
             "GPU would wait for ever",
             grid.name, waiting.size(), text_of(waiting[0].site).c_str(),
             static_cast<std::size_t>(block_at.count()) - waiting.size());
      grid.error = cudaErrorLaunchFailure;
      break;
    }
    if (hooks && hooks->grid_synchronised) hooks->grid_synchronised();
    take_turns(waiting, &Block::resume, put_aside);
  }
  stacks_.reclaim_all();
  finish(grid);
}

void Block::resume(ParkedBlock &parked) {
  take_up(parked);
  if (hooks && hooks->block_resumed) hooks->block_resumed(parked.number);
  waits_for_grid_ = false;
  gave_way_.reset();  // what was a launch of its own may be a round of this one
  passes_cluster_ = is_in_cluster();
  release_barrier();
  passes_cluster_ = false;
  go_on();
  if (failed_) stacks_.reclaim_all();
  if (hooks) hooks->block_end();
}

Fiber &Block::arrive_at_grid_barrier(Site site) {
  if (!grid_->configuration.cooperative) {
    if (first_failure())
      report("barrier",
             "kernel %s, block %s, thread %s: grid.sync() at %s needs a launch by "
             "cudaLaunchCooperativeKernel",
             grid_->name, text_of(blockIdx).c_str(), text_of(threadIdx).c_str(),
             text_of(site).c_str());
    fail(cudaErrorLaunchFailure);
  }
  waits_for_grid_ = true;
  return arrive_at_barrier(site);
}

}  // namespace cuda_on_cpu
