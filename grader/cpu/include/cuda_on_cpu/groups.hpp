// Cooperative groups: the groups themselves. A group is either a block, a cluster of blocks, the
// grid or some lanes of one warp. Tiles and coalesced groups differ only in their lanes.
#pragma once

#include "clusters.hpp"
#include "group_lanes.hpp"
#include "index.hpp"
#include "sync.hpp"

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

void grid_barrier(Site caller);
bool is_cooperative_launch();

}  // namespace cuda_on_cpu

namespace cooperative_groups {

// What every group converts to: the block (no lanes named) or some lanes of the calling warp.
class thread_group {
 public:
  unsigned long long size() const {
    return some() ? lanes_.size() : ::cuda_on_cpu::volume(blockDim);
  }
  unsigned long long num_threads() const { return size(); }
  unsigned long long thread_rank() const {
    return some() ? lanes_.rank() : ::cuda_on_cpu::rank_in_block();
  }
  void sync(CUDA_ON_CPU_CALLER) const {
    some() ? lanes_.sync(caller) : ::cuda_on_cpu::barrier(::cuda_on_cpu::with_path(caller));
  }
  bool is_valid() const { return true; }
  const ::cuda_on_cpu::Lanes &lanes() const { return lanes_; }
  explicit thread_group(::cuda_on_cpu::Lanes lanes) : lanes_(lanes) {}

 protected:
  bool some() const { return lanes_.mask || lanes_.tile; }  // otherwise: all threads of the block
  ::cuda_on_cpu::Lanes lanes_;
};

// Memory that tiles of several warps need below compute capability 8.0: not here.
template <unsigned Threads = 1024>
struct block_tile_memory {};

class thread_block : public thread_group {
 public:
  static unsigned size() { return ::cuda_on_cpu::volume(blockDim); }
  static unsigned num_threads() { return size(); }
  static unsigned thread_rank() { return ::cuda_on_cpu::rank_in_block(); }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 dim_threads() { return blockDim; }
  static dim3 group_dim() { return blockDim; }
  static void sync(CUDA_ON_CPU_CALLER) {
    ::cuda_on_cpu::barrier(::cuda_on_cpu::with_path(caller));
  }
  // As in NVIDIA's header, nobody goes on before all of them wait.
  struct arrival_token {};
  [[nodiscard]] static arrival_token barrier_arrive() { return {}; }
  static void barrier_wait(arrival_token &&, CUDA_ON_CPU_CALLER) { sync(caller); }

 private:
  thread_block() : thread_group(::cuda_on_cpu::Lanes{0}) {}
  friend thread_block this_thread_block();
};
inline thread_block this_thread_block() { return {}; }
template <unsigned Threads>
thread_block this_thread_block(block_tile_memory<Threads> &) {
  return this_thread_block();
}

// Functions that tiles and coalesced groups share; ranks count within the group.
class LaneGroup : public thread_group {
 public:
  unsigned size() const { return lanes_.size(); }
  unsigned num_threads() const { return lanes_.size(); }
  unsigned thread_rank() const { return lanes_.rank(); }
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }
  void sync(CUDA_ON_CPU_CALLER) const { lanes_.sync(caller); }

  template <class T>
  T shfl(T value, unsigned rank, CUDA_ON_CPU_CALLER) const {
    return lanes_.exchange(value, rank % lanes_.size(), caller);
  }
  template <class T>
  T shfl_up(T value, unsigned delta, CUDA_ON_CPU_CALLER) const {
    const unsigned rank = lanes_.rank();
    return lanes_.exchange(value, rank < delta ? rank : rank - delta, caller);
  }
  template <class T>
  T shfl_down(T value, unsigned delta, CUDA_ON_CPU_CALLER) const {
    const unsigned rank = lanes_.rank(), source = rank + delta;
    return lanes_.exchange(value, source < lanes_.size() ? source : rank, caller);
  }
  int any(int predicate, CUDA_ON_CPU_CALLER) const { return lanes_.any(predicate != 0, caller); }
  int all(int predicate, CUDA_ON_CPU_CALLER) const { return lanes_.all(predicate != 0, caller); }
  unsigned ballot(int predicate, CUDA_ON_CPU_CALLER) const {
    return lanes_.ballot(predicate != 0, caller);
  }
  template <class T>
  unsigned match_any(T value, CUDA_ON_CPU_CALLER) const {
    return lanes_.match(value, caller);
  }
  template <class T>
  unsigned match_all(T value, int &equal, CUDA_ON_CPU_CALLER) const {
    const unsigned everybody = lanes_.size() == 32 ? ~0u : (1u << lanes_.size()) - 1;
    equal = lanes_.all(lanes_.match(value, caller) == everybody, caller);
    return equal ? everybody : 0;
  }

 protected:
  LaneGroup(::cuda_on_cpu::Lanes lanes, unsigned meta_rank, unsigned meta_size)
      : thread_group(lanes), meta_rank_(meta_rank), meta_size_(meta_size) {}
  unsigned meta_rank_, meta_size_;  // this group's place among those that one partition made
};

class coalesced_group : public LaneGroup {
 public:
  explicit coalesced_group(::cuda_on_cpu::Lanes lanes, unsigned meta_rank = 0,
                           unsigned meta_size = 1)
      : LaneGroup(lanes, meta_rank, meta_size) {}
  // A tile takes the rank modulo its size. Here a rank that the group does not have gives no value.
  template <class T>
  T shfl(T value, unsigned rank, CUDA_ON_CPU_CALLER) const {
    return lanes().exchange(value, size() == 32 ? rank % 32 : rank, caller);
  }
};
CUDA_ON_CPU_INLINE coalesced_group coalesced_threads(CUDA_ON_CPU_CALLER) {
  return coalesced_group({__activemask(caller)});
}

class grid_group {
 public:
  bool is_valid() const { return ::cuda_on_cpu::is_cooperative_launch(); }
  void sync(CUDA_ON_CPU_CALLER) const {
    ::cuda_on_cpu::grid_barrier(::cuda_on_cpu::with_path(caller));
  }
  struct arrival_token {};
  [[nodiscard]] arrival_token barrier_arrive() const { return {}; }
  void barrier_wait(arrival_token &&, CUDA_ON_CPU_CALLER) const { sync(caller); }
  static unsigned long long size() { return num_blocks() * thread_block::size(); }
  static unsigned long long num_threads() { return size(); }
  static unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  static unsigned long long num_blocks() { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
  static unsigned long long block_rank() {
    return blockIdx.x + 1ull * gridDim.x * (blockIdx.y + 1ull * gridDim.y * blockIdx.z);
  }
  static dim3 group_dim() { return gridDim; }
  static dim3 dim_blocks() { return gridDim; }
  static dim3 block_index() { return blockIdx; }
  static dim3 dim_threads() { return blockDim; }
  static dim3 thread_index() { return threadIdx; }
};
inline grid_group this_grid() { return {}; }

// Blocks that may use each other's shared memory. Without clusters each block is one.
class cluster_group {
 public:
  static void sync(CUDA_ON_CPU_CALLER) {
    __cluster_barrier_wait(caller);
  }
  // As for a block: nobody goes on before all of them wait.
  struct arrival_token {};
  [[nodiscard]] static arrival_token barrier_arrive() { return {}; }
  static void barrier_wait(CUDA_ON_CPU_CALLER) { sync(caller); }
  static void barrier_wait(arrival_token &&, CUDA_ON_CPU_CALLER) { sync(caller); }
  static unsigned query_shared_rank(const void *address) {
    return ::cuda_on_cpu::rank_of_shared(address);
  }
  template <class T>
  static T *map_shared_rank(T *own, int rank, CUDA_ON_CPU_CALLER) {
    return static_cast<T *>(
        ::cuda_on_cpu::shared_of(static_cast<unsigned>(rank), own, caller));
  }
  static dim3 dim_blocks() { return __clusterDim(); }
  static dim3 block_index() { return __clusterRelativeBlockIdx(); }
  static unsigned num_blocks() { return __clusterSizeInBlocks(); }
  static unsigned block_rank() { return __clusterRelativeBlockRank(); }
  static dim3 dim_threads() {
    const dim3 blocks = dim_blocks();
    return {blockDim.x * blocks.x, blockDim.y * blocks.y, blockDim.z * blocks.z};
  }
  static dim3 thread_index() {
    const dim3 block = block_index();
    return {threadIdx.x + blockDim.x * block.x, threadIdx.y + blockDim.y * block.y,
            threadIdx.z + blockDim.z * block.z};
  }
  static unsigned num_threads() { return num_blocks() * thread_block::num_threads(); }
  static unsigned size() { return num_threads(); }
  static unsigned thread_rank() {
    return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
  }
  static bool is_valid() { return true; }
};
inline cluster_group this_cluster() { return {}; }

template <class Group>
void sync(const Group &group, CUDA_ON_CPU_CALLER) {
  group.sync(caller);
}
template <class Group>
auto thread_rank(const Group &group) {
  return group.thread_rank();
}
template <class Group>
auto group_size(const Group &group) {
  return group.size();
}

}  // namespace cooperative_groups

#pragma GCC visibility pop
