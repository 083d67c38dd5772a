// Clusters: neighbouring blocks that run side by side, wait for each other in cluster.sync(), and
// may use each other's shared memory. Here the clusters of a grid run one after another on one
// worker, in the order of their numbers. The blocks of a cluster take turns, as those of a
// cooperative grid do. Each has a window of its own for shared memory, so that an address means the
// same to all of them.
#include "base/hooks.hpp"
#include "base/kernel_runs.hpp"
#include "messages/diagnostics.hpp"
#include "messages/failures.hpp"
#include "messages/text.hpp"
#include "threads/block.hpp"

namespace cuda_on_cpu {
namespace {

dim3 clusters_of(const Grid &grid) {
  const dim3 &all = grid.configuration.grid, &one = grid.cluster;
  return {all.x / one.x, all.y / one.y, all.z / one.z};
}

// Of the block with this rank in this cluster.
std::uint64_t block_number(const Grid &grid, std::uint64_t cluster, unsigned rank) {
  const dim3 &all = grid.configuration.grid, &one = grid.cluster, clusters = clusters_of(grid);
  const std::uint64_t x = cluster % clusters.x * one.x + rank % one.x,
                      y = cluster / clusters.x % clusters.y * one.y + rank / one.x % one.y,
                      z = cluster / clusters.x / clusters.y * one.z + rank / one.x / one.y;
  return x + all.x * (y + all.y * z);
}

unsigned rank_of_block(const Grid &grid, std::uint64_t number) {
  const dim3 &all = grid.configuration.grid, &one = grid.cluster;
  const std::uint64_t x = number % all.x % one.x, y = number / all.x % all.y % one.y,
                      z = number / all.x / all.y % one.z;
  return static_cast<unsigned>(x + one.x * (y + one.y * z));
}

}  // namespace

void Block::run_in_clusters(Grid &grid) {
  prepare(grid);
  block_progress = this;
  kernel_runs = true;
  const std::uint64_t clusters = grid.block_count / volume(grid.cluster);
  OrderSettings in_order = grid.order;
  in_order.order = Order::forward;
  const BlockOrder cluster_at(in_order, clusters);
  for (std::uint64_t position = 0; position < cluster_at.count() && !grid.error; ++position)
    run_cluster(grid, cluster_at(position));
  stacks_.reclaim_all();
  finish(grid);
}

void Block::run_cluster(Grid &grid, std::uint64_t cluster) {
  const auto blocks = static_cast<unsigned>(volume(grid.cluster));
  OrderSettings all = grid.order;
  all.few = false;  // of a cluster no block is left out
  const BlockOrder rank_at(all, blocks);
  ParkedBlocks waiting, polling;
  const auto put_aside = [&](std::uint64_t number) {
    if (waits_for_blocks_) polling.push_back(park(number));
    else if (waits_for_grid_) waiting.push_back(park(number));
    else if (hooks && hooks->cluster_left) hooks->cluster_left(rank_of_block(grid, number));
  };
  if (hooks && hooks->cluster_begin) hooks->cluster_begin(shared_.base_of(0), blocks);
  for (unsigned position = 0; position < blocks && !grid.error; ++position) {
    const std::uint64_t number =
        block_number(grid, cluster, static_cast<unsigned>(rank_at(position)));
    run_one_block(number);
    put_aside(number);
  }
  while (!(waiting.empty() && polling.empty()) && !grid.error) {
    if (!polling.empty()) {
      take_turns(polling, &Block::resume_polling, put_aside);
      continue;
    }
    if (hooks && hooks->cluster_synchronised) hooks->cluster_synchronised();
    take_turns(waiting, &Block::resume, put_aside);
  }
}

// A number of its own for each stay in a window: variables are looked up again (shared.hpp).
void Block::enter_window(std::uint64_t number) {
  static thread_local unsigned long long stays = 0;
  shared_.enter(rank_of_block(*grid_, number));
  shared_arena = shared_.base();
  current_launch = ~stays++;
}

Fiber &Block::arrive_at_cluster_barrier(Site site) {
  waits_for_grid_ = is_in_cluster();
  return arrive_at_barrier(site);
}

void Block::begin_in_cluster(const dim3 &cluster) {
  const dim3 &now = grid_->cluster;
  if (now.x == cluster.x && now.y == cluster.y && now.z == cluster.z) return;
  if (volume(now) > 1) {
    explain("clusters of " + text_of(now) + " blocks; its __cluster_dims__ are " +
            text_of(cluster));
    fail(cudaErrorInvalidClusterSize);
  }
  if (!grid_->kernel_has_cluster.exchange(true)) grid_->cluster_of_kernel = cluster;
  fail(static_cast<cudaError_t>(kBeginsInClusters));
}

unsigned Block::rank_of_shared(const char *address) const {
  return is_in_cluster() ? shared_.rank_at(address)
         : shared_.contains(address) ? 0
                                     : kLargestCluster;
}

// `own`: in this block's shared memory, or another one's.
char *Block::shared_of(unsigned rank, char *own, Site caller) {
  const unsigned from = rank_of_shared(own), blocks = static_cast<unsigned>(volume(grid_->cluster));
  if (rank < blocks && from < blocks)
    return own + (shared_.base_of(rank) - shared_.base_of(from));
  if (first_failure())
    report("memory", "kernel %s, block %s, thread %s: map_shared_rank() at %s gets %s",
           grid_->name, text_of(blockIdx).c_str(), text_of(threadIdx).c_str(),
           text_of(caller).c_str(),
           rank < blocks ? "a pointer that is not to shared memory"
                         : ("rank " + std::to_string(rank) + " in a cluster of " +
                            std::to_string(blocks) + (blocks == 1 ? " block" : " blocks"))
                               .c_str());
  fail(cudaErrorLaunchFailure);
}

void begin_in_cluster(dim3 cluster) { current_block().begin_in_cluster(cluster); }
dim3 cluster_size() { return current_block().grid()->cluster; }
void *shared_of(unsigned rank, const void *own, Site caller) {
  return current_block().shared_of(rank, static_cast<char *>(const_cast<void *>(own)), caller);
}
unsigned rank_of_shared(const void *address) {
  return current_block().rank_of_shared(static_cast<const char *>(address));
}

}  // namespace cuda_on_cpu
