// Barriers of several blocks. All blocks of a cooperative grid run on one worker, one after the other
// up to such a barrier, then one after the other up to the next. A block that waits is put aside with
// its threads' states and its shared memory; the threads' stacks stay where they are.
#include <map>
#include <set>

#include "block.hpp"
#include "diagnostics.hpp"
#include "hooks.hpp"
#include "text.hpp"

namespace cuda_on_cpu {
namespace {

// The ranges whose blocks have all arrived.
std::set<BlockRange> complete_ranges(const std::vector<ParkedBlock> &waiting) {
  std::map<BlockRange, std::uint64_t> arrived;
  for (const ParkedBlock &block : waiting) ++arrived[block.awaited];
  std::set<BlockRange> complete;
  for (const auto &[range, count] : arrived)
    if (count == range.count) complete.insert(range);
  return complete;
}

}  // namespace

void Block::run_cooperatively(Grid &grid) {
  prepare(grid);
  block_progress = this;
  const BlockOrder block_at(grid.order, grid.block_count);
  std::vector<ParkedBlock> waiting;
  for (std::uint64_t position = 0; position < grid.block_count && !grid.error; ++position) {
    run_one_block(block_at(position));
    if (awaited_.count) waiting.push_back(park(block_at(position)));
  }
  while (!waiting.empty() && !grid.error) {
    const std::set<BlockRange> complete = complete_ranges(waiting);
    if (complete.empty()) {
      report_missing(grid, waiting);
      grid.error = cudaErrorLaunchFailure;
      break;
    }
    const bool all = complete.contains({0, grid.block_count});
    if (all && hooks && hooks->grid_synchronised) hooks->grid_synchronised();
    std::vector<ParkedBlock> again;
    for (ParkedBlock &block : waiting) {
      if (!complete.contains(block.awaited)) {
        again.push_back(std::move(block));
        continue;
      }
      const std::uint64_t number = block.number;
      if (!grid.error) resume(block);
      if (awaited_.count) again.push_back(park(number));
    }
    waiting.swap(again);
  }
  stacks_.reclaim_all();
  finish(grid);
}

void Block::report_missing(const Grid &grid, const std::vector<ParkedBlock> &waiting) {
  const ParkedBlock &block = waiting.front();
  const auto [first, count] = block.awaited;
  std::size_t arrived = 0;
  for (const ParkedBlock &other : waiting) arrived += other.awaited == block.awaited;
  if (count == grid.block_count)
    report("barrier",
           "kernel %s: %zu blocks wait in grid.sync() at %s, %zu blocks have left the kernel: a "
           "GPU would wait for ever",
           grid.name, arrived, text_of(block.site).c_str(),
           static_cast<std::size_t>(count) - arrived);
  else
    report("barrier",
           "kernel %s: %zu of blocks %zu to %zu wait for each other at %s, the others wait "
           "elsewhere or have left the kernel: a GPU would wait for ever",
           grid.name, arrived, static_cast<std::size_t>(first),
           static_cast<std::size_t>(first + count - 1), text_of(block.site).c_str());
}

ParkedBlock Block::park(std::uint64_t number) {
  ParkedBlock parked{number, awaited_,       blockIdx, barrier_site_,
                     live_,  threads_, warps_,   shared_.save()};
  awaited_ = {};
  return parked;
}

void Block::resume(ParkedBlock &parked) {
  threads_.swap(parked.threads);
  warps_.swap(parked.warps);
  blockIdx = parked.index;
  live_ = at_barrier_ = parked.live;
  barrier_site_ = parked.site;
  next = count;
  suspended = true;
  failed_ = false;
  predicates_ = 0;
  ready_.clear();
  ready_head_ = 0;
  shared_.restore(parked.shared);
  if (!order_.empty()) fill_thread_order(order_, grid_->order, parked.number);
  if (hooks && hooks->block_resumed) hooks->block_resumed(parked.number);
  release_barrier();
  running_ = choose_next();
  switch_context(main_.context, running_->context);
  if (failed_) stacks_.reclaim_all();
  if (hooks) hooks->block_end();
}

void Block::barrier_of_blocks(BlockRange range, Site site) {
  if (!grid_->configuration.cooperative) {
    if (first_failure())
      report("barrier",
             "kernel %s, block %s, thread %s: a barrier of blocks at %s needs a launch by "
             "cudaLaunchCooperativeKernel",
             grid_->name, text_of(blockIdx).c_str(), text_of(threadIdx).c_str(),
             text_of(site).c_str());
    fail(cudaErrorLaunchFailure);
  }
  awaited_ = range;
  barrier(site);
}

}  // namespace cuda_on_cpu
