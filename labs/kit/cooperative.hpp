// One launch for a loop in which every turn needs the results of the turn before. All blocks run at
// the same time, and cooperative_groups::this_grid().sync() holds every thread until all have
// arrived. What any thread wrote before that barrier, every thread can read after it.
#pragma once

#include <cooperative_groups.h>
#ifndef __CUDA_ON_CPU__
#include <cuda/atomic>
#endif

#include <type_traits>

#include "cuda_check.hpp"

namespace kit {

/// How many blocks of `threads` threads a cooperative launch of `kernel` may have: `wanted`, or as
/// many as the device holds at once if that is less. A kernel launched with this many blocks must
/// be able to serve any number of elements with any number of blocks. Throws CudaError, and Error
/// if not even one block can run in a cooperative launch.
template <typename Kernel>
int resident_blocks(Kernel kernel, int threads, int wanted) {
  int supported = 0, multiprocessors = 0, per_multiprocessor = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
  if (!supported)
    throw Error(
        "this GPU has no cooperative launches: its blocks cannot wait for "
        "each other. Use one launch for every turn of the loop");
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  CUDA_CHECK(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, threads, 0));
  if (per_multiprocessor == 0)
    throw Error(
        "no block of %d threads of this kernel fits on the device: it takes too many registers, or "
        "too much shared memory",
        threads);
  const int most = per_multiprocessor * multiprocessors;
  return wanted < most ? wanted : most;
}

/// Launches kernel(arguments...) so that its blocks may wait for each other. `blocks` is at most
/// what resident_blocks() returns. Throws CudaError.
template <typename... Parameters>
void launch_cooperatively(void (*kernel)(Parameters...), int blocks, int threads,
                          std::type_identity_t<Parameters>... arguments) {
  void* addresses[] = {&arguments...};
  CUDA_CHECK(cudaLaunchCooperativeKernel(kernel, blocks, threads, addresses, 0, nullptr));
}

/// For turns 1, 2, ... of a loop in such a launch: waits until every thread has finished this turn,
/// and says whether any thread changed anything in it. changed_in[0] and [1] begin as 0. There are
/// two, because a thread may write for the next turn while another still reads for this one.
inline __device__ bool changed_anywhere(bool changed_here, int turn, int* changed_in) {
  if (changed_here) changed_in[turn % 2] = turn;  // all writers of a turn write the same value
  cooperative_groups::this_grid().sync();         // the turn is over
  return changed_in[turn % 2] == turn;
}

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
