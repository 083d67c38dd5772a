// grid.sync(): all blocks of a cooperative grid run on one worker. Each block in turn runs up to
// its grid.sync(), then each in turn runs up to the next. A block that waits is put aside with its
// threads' states and its shared memory; the threads' stacks stay where they are.
#include "block.hpp"
#include "diagnostics.hpp"
#include "hooks.hpp"
#include "kernel_runs.hpp"
#include "text.hpp"

namespace cuda_on_cpu {

void Block::run_cooperatively(Grid &grid) {
  prepare(grid);
  block_progress = this;
  kernel_runs = true;
  const BlockOrder block_at(grid.order, grid.block_count);
  std::vector<ParkedBlock> waiting;
  for (std::uint64_t position = 0; position < grid.block_count && !grid.error; ++position) {
    run_one_block(block_at(position));
    if (waits_for_grid_) waiting.push_back(park(block_at(position)));
  }
  while (!waiting.empty() && !grid.error) {
    if (waiting.size() != grid.block_count) {
      report("barrier",
             "kernel %s: %zu blocks wait in grid.sync() at %s, %zu blocks have left the kernel: a "
             "GPU would wait for ever",
             grid.name, waiting.size(), text_of(waiting[0].site).c_str(),
             static_cast<std::size_t>(grid.block_count) - waiting.size());
      grid.error = cudaErrorLaunchFailure;
      break;
    }
    if (hooks && hooks->grid_synchronised) hooks->grid_synchronised();
    std::vector<ParkedBlock> again;
    for (ParkedBlock &block : waiting) {
      const std::uint64_t number = block.number;
      if (!grid.error) resume(block);
      if (waits_for_grid_) again.push_back(park(number));
    }
    waiting.swap(again);
  }
  stacks_.reclaim_all();
  finish(grid);
}

ParkedBlock Block::park(std::uint64_t number) {
  waits_for_grid_ = false;
  ParkedBlock parked{number, blockIdx, barrier_site_, live_, threads_, warps_, shared_.save()};
  return parked;
}

void Block::resume(ParkedBlock &parked) {
  threads_.swap(parked.threads);
  warps_.swap(parked.warps);
  blockIdx = parked.index;
  live_ = at_barrier_ = parked.live;
  barrier_site_ = parked.site;
  next = count;
  suspended = tracked_ = true;
  turn_ = nullptr;
  first_round_ = false;
  failed_ = false;
  predicates_ = 0;
  ready_.clear();
  ready_head_ = 0;
  shared_.restore(parked.shared);
  if (!order_.empty()) {
    fill_thread_order(order_, grid_->order, parked.number);
    order_lanes();
  }
  if (hooks && hooks->block_resumed) hooks->block_resumed(parked.number);
  release_barrier();
  switch_to(&main_, choose_next());
  if (failed_) stacks_.reclaim_all();
  if (hooks) hooks->block_end();
}

void Block::grid_barrier(Site site) {
  if (!grid_->configuration.cooperative) {
    if (first_failure())
      report("barrier",
             "kernel %s, block %s, thread %s: grid.sync() at %s needs a launch by "
             "cudaLaunchCooperativeKernel",
             grid_->name, text_of(blockIdx).c_str(), text_of(threadIdx).c_str(),
             text_of(site).c_str());
    fail(cudaErrorLaunchFailure);
  }
  track_every_thread();
  waits_for_grid_ = true;
  wait_at_barrier(site);
}

}  // namespace cuda_on_cpu
