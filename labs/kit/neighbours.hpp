// A barrier of some of the blocks of one cooperative launch, where waiting for the whole grid would
// take longer.
#pragma once

#include "cooperative.hpp"
#ifndef __CUDA_ON_CPU__
#include <cuda/atomic>
#endif

namespace kit {

/// The most blocks of a launch whose blocks wait for their neighbours.
inline constexpr unsigned kMostNeighbours = 256;

#ifndef __CUDA_ON_CPU__
namespace detail {
[[maybe_unused]] static __device__ unsigned arrived[kMostNeighbours];  // per group and group size
}
#endif

/// A barrier of 2^bits neighbouring blocks, bits > 0, in such a launch of one dimension: blocks 0
/// to 2^bits - 1 meet, then the next 2^bits, and so on. The last group is smaller if the grid ends
/// inside it. This takes less waiting than this_grid().sync(): no block waits for another group,
/// the last block to arrive knows at once that it is the last, and all go on as soon as they read
/// it. All blocks must call it equally often. All launches share the kit's counters, so launches
/// that use them must follow each other, as in one stream.
inline __device__ void wait_for_neighbours([[maybe_unused]] unsigned bits) {
  if (bits == 0 || gridDim.x > kMostNeighbours) __trap();
#ifdef __CUDA_ON_CPU__  // blocks take turns here: a loop that waits for another block never ends
  cooperative_groups::this_grid().sync();
#else
  __syncthreads();  // the block has written everything
  if (threadIdx.x == 0) {
    const unsigned group = blockIdx.x >> bits, first = group << bits;
    const unsigned size = min(1u << bits, gridDim.x - first);
    // All arrivals together add kTurn. So the last one flips the bit kTurn, and the other bits are
    // 0 again, ready for the next barrier. No block arrives there before it has seen this flip.
    constexpr unsigned kTurn = 0x80000000u;
    const unsigned mine = blockIdx.x == first ? kTurn - (size - 1) : 1;
    const cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(
        detail::arrived[(kMostNeighbours >> bits) + group]);
    const unsigned before = count.fetch_add(mine, cuda::memory_order_acq_rel);
    unsigned now = before + mine;
    while (((before ^ now) & kTurn) == 0) now = count.load(cuda::memory_order_acquire);
  }
  __syncthreads();  // thread 0 has seen that all blocks of the group have arrived
#endif
}

}  // namespace kit
