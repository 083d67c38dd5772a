// Clusters of blocks: what they exchange through each other's shared memory, and when.
#include "case.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int kThreads = 32, kBlocks = 4;  // of a cluster

// ---- the ends of a block: others use its shared memory
__global__ void __cluster_dims__(kBlocks) look_right(const int *in, int *out, bool early, bool late) {
  __shared__ int mine[kThreads];
  const cg::cluster_group cluster = cg::this_cluster();
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  mine[t] = in[i];
  if (!early) cluster.sync();
  const int *next = cluster.map_shared_rank(mine, (cluster.block_rank() + 1) % kBlocks);
  out[i] = next[t];  // BUG memory right_before_it_begins right_after_it_left
  if (!late) cluster.sync();
}
void look(bool early, bool late, bool bug) {
  Up<int> in(counting<int>(kBlocks * kThreads));
  Buffer<int> out(kBlocks * kThreads);
  look_right<<<kBlocks, kThreads>>>(in, out, early, late);
  EXPECT(down<int>(out, kBlocks * kThreads)[kBlocks * kThreads - 1] == kThreads - 1);
}
CASE(right_before_it_begins) { look(bug, false, bug); }
CASE(right_after_it_left) { look(false, bug, bug); }

// ---- one block alone looks at another one, and runs first
__global__ void __cluster_dims__(2) look_once(const int *in, int *out, int who, bool late) {
  __shared__ int mine[kThreads];
  const cg::cluster_group cluster = cg::this_cluster();
  const int t = threadIdx.x;
  mine[t] = in[blockIdx.x * kThreads + t];
  cluster.sync();
  if (static_cast<int>(cluster.block_rank()) == who)
    out[t] = cluster.map_shared_rank(mine, 1 - who)[t];  // BUG memory before_it_may_have_left
  if (!late) cluster.sync();
}
CASE(before_it_may_have_left) {
  for (int who : {0, 1}) {
    Up<int> in(counting<int>(2 * kThreads));
    Buffer<int> out(kThreads);
    look_once<<<2, kThreads>>>(in, out, who, bug && who == 0);
    EXPECT(down<int>(out, kThreads)[1] == 1 + (1 - who) * kThreads);
  }
}

// ---- rounds: each block hands its part on to the next one
__global__ void hand_on(int *data, int rounds, bool bug) {
  extern __shared__ int part[];
  const cg::cluster_group cluster = cg::this_cluster();
  const int t = threadIdx.x;
  int *next = cluster.map_shared_rank(part, (cluster.block_rank() + 1) % cluster.num_blocks());
  part[t] = data[cluster.thread_rank()];
  for (int r = 0; r < rounds; ++r) {
    cluster.sync();
    const int value = part[t];
    if (!bug) cluster.sync();
    next[t] = value;  // BUG race handed_on_too_early
  }
  cluster.sync();
  data[cluster.thread_rank()] = part[t];
}
CASE(handed_on_too_early) {
  Up<int> data(counting<int>(kBlocks * kThreads));
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = kBlocks / 2;
  attribute.val.clusterDim.y = 2;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(kBlocks / 2, 2);
  config.blockDim = kThreads;
  config.dynamicSmemBytes = kThreads * sizeof(int);
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, hand_on, static_cast<int *>(data), 3, bug);
  EXPECT(down<int>(data, kThreads)[0] == kThreads);
}

// ---- one histogram in the shared memory of the first block
__global__ void __cluster_dims__(2, 1, 1) count_digits(const int *in, int *out, bool bug) {
  __shared__ int bins[10];
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x < 10) bins[threadIdx.x] = 0;
  cluster.sync();
  int *first = cluster.map_shared_rank(bins, 0);
  const int digit = in[blockIdx.x * kThreads + threadIdx.x] % 10;
  if (bug) first[digit] += 1;  // BUG race bins_without_atomic
  else atomicAdd(&first[digit], 1);
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x < 10) out[threadIdx.x] = bins[threadIdx.x];
}
CASE(bins_without_atomic) {
  Up<int> in(counting<int>(2 * kThreads));
  Buffer<int> out(10);
  count_digits<<<2, kThreads>>>(in, out, bug);
  EXPECT(down<int>(out, 10)[3] == 7);
}

// ---- a sum of the blocks' sums
__global__ void __cluster_dims__(kBlocks) add_up(const int *in, int *out, int parts, bool uncleared) {
  __shared__ int sum;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0 && !(uncleared && cluster.block_rank() == 2)) sum = 0;
  __syncthreads();
  if (!uncleared) atomicAdd(&sum, in[blockIdx.x * kThreads + threadIdx.x]);
  cluster.sync();
  if (cluster.thread_rank() == 0) {
    int all = 0;
    for (int rank = 0; rank < parts; ++rank) {
      const int *other = cluster.map_shared_rank(&sum, rank);  // BUG memory rank_too_large
      all += *other;  // BUG uninitialised sum_of_one_unwritten
    }
    *out = all;
  }
  cluster.sync();
}
void sum(int parts, bool uncleared, bool bug) {
  Up<int> in(counting<int>(kBlocks * kThreads));
  Buffer<int> out(1);
  add_up<<<kBlocks, kThreads>>>(in, out, parts, uncleared);
  EXPECT(down<int>(out, 1)[0] == kBlocks * kThreads * (kBlocks * kThreads - 1) / 2);
}
CASE(rank_too_large) { sum(kBlocks + bug, false, bug); }
CASE(sum_of_one_unwritten) { sum(kBlocks, bug, bug); }

// ---- past the end of another block's array
__global__ void __cluster_dims__(2) mirror_begun(int *out, bool bug) {
  __shared__ int tile[kThreads];
  const cg::cluster_group cluster = cg::this_cluster();
  const int t = threadIdx.x;
  tile[t] = -1;
  cluster.sync();
  cluster.map_shared_rank(tile, cluster.block_rank() ^ 1)[bug ? t + 1 : t] = t;  // BUG memory one_past_the_end
  cluster.sync();
  out[blockIdx.x * kThreads + t] = tile[t];
}
CASE(one_past_the_end) {
  Buffer<int> out(2 * kThreads);
  mirror_begun<<<2, kThreads>>>(out, bug);
  EXPECT(down<int>(out, 2 * kThreads)[kThreads + 5] == 5);
}

// ---- global memory: a block's barrier does not order what the cluster's other blocks do
__global__ void __cluster_dims__(2) swap_halves(int *data, bool bug) {
  const cg::cluster_group cluster = cg::this_cluster();
  const int t = threadIdx.x, own = cluster.block_rank() * kThreads + t;
  const int value = data[own ^ kThreads];
  if (bug) __syncthreads();
  else cluster.sync();
  data[own] = value;  // BUG race halves_by_own_barrier
}
CASE(halves_by_own_barrier) {
  Up<int> data(counting<int>(2 * kThreads));
  swap_halves<<<2, kThreads>>>(data, bug);
  EXPECT(down<int>(data, 1)[0] == kThreads);
}

// ---- clusters are not ordered among each other
__global__ void __cluster_dims__(2) to_next_cluster(int *data, bool bug) {
  const cg::cluster_group cluster = cg::this_cluster();
  const int t = threadIdx.x;
  data[blockIdx.x * kThreads + t] = t;
  cluster.sync();
  const int other = bug ? (blockIdx.x + 2) % gridDim.x : blockIdx.x ^ 1;
  data[(gridDim.x + blockIdx.x) * kThreads + t] = data[other * kThreads + t];  // BUG race of_another_cluster
}
CASE(of_another_cluster) {
  Buffer<int> data(8 * kThreads);
  to_next_cluster<<<4, kThreads>>>(data, bug);
}

// ---- a barrier of the cluster that not all threads of a block reach
__global__ void __cluster_dims__(2) some_wait(int *out, bool bug) {
  const cg::cluster_group cluster = cg::this_cluster();
  if (!bug || threadIdx.x < 16) cluster.sync();  // BUG barrier cluster_in_branch
  else __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = 1;
}
CASE(cluster_in_branch) {
  Buffer<int> out(2 * kThreads);
  some_wait<<<2, kThreads>>>(out, bug);
}

// ---- without cooperative groups, and with a flag that another block waits for
__global__ void __cluster_dims__(2) by_flag(int *out, bool bug) {
  __shared__ int value, flag;
  if (threadIdx.x == 0) value = flag = 0;
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
  if (threadIdx.x == 0 && __clusterRelativeBlockRank() == 0) {
    auto *there = static_cast<int *>(__cluster_map_shared_rank(&value, 1));
    auto *ready = static_cast<int *>(__cluster_map_shared_rank(&flag, 1));
    *there = 7;
    if (!bug) __threadfence();
    atomicExch(ready, 1);
  } else if (threadIdx.x == 0) {
    while (atomicAdd(&flag, 0) == 0) {
    }
    if (!bug) __threadfence();
    out[0] = value;  // BUG race value_without_fence
  }
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
}
CASE(value_without_fence) {
  Buffer<int> out(1);
  by_flag<<<2, kThreads>>>(out, bug);
  EXPECT(down<int>(out, 1)[0] == 7);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
