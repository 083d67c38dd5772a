#include "launches/functions.hpp"

#include <algorithm>
#include <map>

#include "base/own_mutex.hpp"
#include "cuda_on_cpu/virtual_device.hpp"
#include "device/device.hpp"
#include "launches/kernel_registry.hpp"
#include "messages/errors.hpp"
#include "messages/failures.hpp"
#include "messages/text.hpp"

namespace cuda_on_cpu {
namespace {

OwnMutex functions_mutex;
[[gnu::init_priority(200)]] std::map<const void *, SharedAsked> asked;
SharedAsked most_asked;

unsigned blocks_per_multiprocessor(int block_size, std::size_t dynamic_shared_bytes) {
  if (block_size < 1 || block_size > static_cast<int>(kMaxThreadsPerBlock) ||
      dynamic_shared_bytes > this_device().shared_per_block)
    return 0;
  const unsigned warps = (block_size + kWarpSize - 1) / kWarpSize;
  const unsigned by_threads = kMaxThreadsPerMultiprocessor / (warps * kWarpSize);
  const auto by_shared = static_cast<unsigned>(this_device().shared_per_multiprocessor() /
                                               (dynamic_shared_bytes + kSharedReservedPerBlock));
  return std::min({by_threads, by_shared, static_cast<unsigned>(kMaxBlocksPerMultiprocessor)});
}

}  // namespace

std::uint64_t co_resident_blocks(int block_size, std::size_t dynamic_shared_bytes) {
  return std::uint64_t{blocks_per_multiprocessor(block_size, dynamic_shared_bytes)} *
         static_cast<unsigned>(this_device().multiprocessors);
}

SharedAsked shared_asked_by(const void *kernel) {
  const std::lock_guard lock(functions_mutex);
  if (!kernel) return most_asked;
  const auto found = asked.find(kernel);
  return found == asked.end() ? SharedAsked{} : found->second;
}

cudaError_t set_function_attribute(const void *kernel, cudaFuncAttribute attribute, int value,
                                   Site caller) {
  if (!kernel) return finish_call(cudaErrorInvalidDeviceFunction);
  if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout)  // a hint about a cache that
                                                                    // does not exist here
    return finish_call(value >= -1 && value <= 100 ? cudaSuccess : cudaErrorInvalidValue);
  if (attribute == cudaFuncAttributeClusterSchedulingPolicyPreference)  // the same
    return finish_call(value >= 0 && value <= 2 ? cudaSuccess : cudaErrorInvalidValue);
  if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed) {
    const std::lock_guard lock(functions_mutex);
    asked[kernel].large_clusters = value != 0;
    most_asked.large_clusters |= value != 0;
    return finish_call(cudaSuccess);
  }
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
      static_cast<std::size_t>(value) > this_device().shared_per_block)
    return finish_call(cudaErrorInvalidValue);
  const std::lock_guard lock(functions_mutex);
  SharedAsked &now = asked[kernel];
  now.bytes = static_cast<std::size_t>(value);
  now.site = caller;
  if (now.bytes > most_asked.bytes) most_asked.bytes = now.bytes, most_asked.site = caller;
  return finish_call(cudaSuccess);
}

// Registers are not modelled, and static shared memory is known only when a kernel runs. So only
// threads and dynamic shared memory count.
cudaError_t max_active_blocks(int *blocks, int block_size, std::size_t dynamic_shared_bytes) {
  if (!blocks || block_size < 1) return finish_call(cudaErrorInvalidValue);
  *blocks = static_cast<int>(blocks_per_multiprocessor(block_size, dynamic_shared_bytes));
  return finish_call(cudaSuccess);
}

cudaError_t best_block_size(int *grid_size, int *block_size,
                            std::size_t (*shared_bytes)(int block_size, const void *user),
                            const void *user, int limit) {
  if (!grid_size || !block_size || limit < 0) return finish_call(cudaErrorInvalidValue);
  const int largest = limit ? std::min(limit, static_cast<int>(kMaxThreadsPerBlock))
                            : static_cast<int>(kMaxThreadsPerBlock);
  int best_threads = 0;
  *block_size = *grid_size = 0;
  for (int size = largest; size > 0;
       size = (size - 1) / static_cast<int>(kWarpSize) * static_cast<int>(kWarpSize)) {
    const int blocks = static_cast<int>(blocks_per_multiprocessor(size, shared_bytes(size, user)));
    if (blocks * size <= best_threads) continue;
    best_threads = blocks * size;
    *block_size = size;
    *grid_size = blocks * this_device().multiprocessors;
  }
  return finish_call(*block_size ? cudaSuccess : cudaErrorInvalidValue);
}

std::string cluster_misfit(const dim3 &cluster, const dim3 &grid, bool large_allowed) {
  const auto blocks = std::uint64_t{cluster.x} * cluster.y * cluster.z;
  const unsigned most = large_allowed ? kLargestCluster : kPortableCluster;
  if (blocks == 0) return "a cluster of zero blocks";
  if (blocks > most)
    return "a cluster of " + with_commas(blocks) + " blocks; at most " + with_commas(most) +
           (large_allowed ? ""
                          : ", which cudaFuncSetAttribute raises to " +
                                with_commas(kLargestCluster));
  if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z)
    return "the grid's " + text_of(grid) + " blocks are no whole clusters of " + text_of(cluster);
  return "";
}

// What is known before a kernel runs; its static shared memory is not.
cudaError_t function_attributes(cudaFuncAttributes *attributes, const void *kernel) {
  if (!attributes) return finish_call(cudaErrorInvalidValue);
  if (!kernel) return finish_call(cudaErrorInvalidDeviceFunction);
  *attributes = {};
  attributes->maxThreadsPerBlock = kMaxThreadsPerBlock;
  attributes->ptxVersion = attributes->binaryVersion =
      10 * kComputeCapabilityMajor + kComputeCapabilityMinor;
  attributes->maxDynamicSharedSizeBytes =
      static_cast<int>(std::max(kSharedPerBlock, shared_asked_by(kernel).bytes));
  attributes->preferredShmemCarveout = -1;
  attributes->nonPortableClusterSizeAllowed = shared_asked_by(kernel).large_clusters;
  return finish_call(cudaSuccess);
}

}  // namespace cuda_on_cpu
