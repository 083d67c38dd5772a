// One launch for a loop in which every turn needs the results of the turn before. All blocks run at
// the same time, and cooperative_groups::this_grid().sync() holds every thread until all have
// arrived. What any thread wrote before that barrier, every thread can read after it.
#pragma once

// Groups without CUDA's C++ library, of which they need little: with it nvcc takes twice as long
// for a lab's file. Whoever uses cuda::atomic_ref and the like includes <cuda/atomic>.
#ifndef _CG_LIMIT_INCLUDED_DEPENDENCIES
#define _CG_LIMIT_INCLUDED_DEPENDENCIES
#endif
#include <cooperative_groups.h>

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

}  // namespace kit
