// Clusters of blocks, which may use each other's shared memory. Without clusters each block is one.
// Cooperative groups are built from this.
#pragma once

#include "index.hpp"
#include "sync.hpp"

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

void cluster_barrier(Site caller);
dim3 cluster_size();  // in blocks
void *shared_of(unsigned rank, const void *own, Site caller);
unsigned rank_of_shared(const void *address);

}  // namespace cuda_on_cpu

inline dim3 __clusterDim() { return ::cuda_on_cpu::cluster_size(); }
inline unsigned __clusterSizeInBlocks() { return ::cuda_on_cpu::volume(__clusterDim()); }
inline unsigned __clusterDimIsSpecified() { return __clusterSizeInBlocks() > 1; }
inline dim3 __clusterRelativeBlockIdx() {
  const dim3 size = __clusterDim();
  return {blockIdx.x % size.x, blockIdx.y % size.y, blockIdx.z % size.z};
}
inline unsigned __clusterRelativeBlockRank() {
  const dim3 size = __clusterDim(), index = __clusterRelativeBlockIdx();
  return index.x + size.x * (index.y + size.y * index.z);
}
inline dim3 __clusterGridDimInClusters() {
  const dim3 size = __clusterDim();
  return {gridDim.x / size.x, gridDim.y / size.y, gridDim.z / size.z};
}
inline dim3 __clusterIdx() {
  const dim3 size = __clusterDim();
  return {blockIdx.x / size.x, blockIdx.y / size.y, blockIdx.z / size.z};
}
// Nobody goes on from the second before all of them wait there.
inline void __cluster_barrier_arrive() {}
inline void __cluster_barrier_wait(CUDA_ON_CPU_CALLER) {
  ::cuda_on_cpu::cluster_barrier(::cuda_on_cpu::with_path(caller));
}
inline void *__cluster_map_shared_rank(const void *own, unsigned rank, CUDA_ON_CPU_CALLER) {
  return ::cuda_on_cpu::shared_of(rank, own, caller);
}
inline unsigned __cluster_query_shared_rank(const void *address) {
  return ::cuda_on_cpu::rank_of_shared(address);
}
inline void __threadfence_cluster() { __threadfence(); }

#pragma GCC visibility pop
