#include "host_memory.hpp"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "cuda_on_cpu/virtual_device.hpp"

namespace cuda_on_cpu {
namespace {

struct HostBuffer {
  std::size_t bytes;
  cudaMemoryType type;
};
std::mutex host_mutex;
std::map<const char *, HostBuffer> host_buffers;

constexpr int kUninitialised = 0xff;

}  // namespace

cudaError_t allocate_host(void **pointer, std::size_t bytes, cudaMemoryType type) {
  if (!pointer) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (bytes > kGlobalMemory) return cudaErrorMemoryAllocation;
  const std::size_t rounded =
      (bytes + kAllocationAlignment - 1) / kAllocationAlignment * kAllocationAlignment;
  void *memory = std::aligned_alloc(kAllocationAlignment, rounded);
  if (!memory) return cudaErrorMemoryAllocation;
  std::memset(memory, kUninitialised, bytes);
  const std::lock_guard lock(host_mutex);
  host_buffers[static_cast<char *>(memory)] = {bytes, type};
  *pointer = memory;
  return cudaSuccess;
}

bool release_host(void *pointer, cudaMemoryType type) {
  const std::lock_guard lock(host_mutex);
  const auto found = host_buffers.find(static_cast<char *>(pointer));
  if (found == host_buffers.end() || found->second.type != type) return false;
  host_buffers.erase(found);
  std::free(pointer);
  return true;
}

cudaMemoryType host_type_of(const void *pointer) {
  const std::lock_guard lock(host_mutex);
  auto after = host_buffers.upper_bound(static_cast<const char *>(pointer));
  if (after == host_buffers.begin()) return cudaMemoryTypeUnregistered;
  --after;
  const bool inside = static_cast<const char *>(pointer) < after->first + after->second.bytes;
  return inside ? after->second.type : cudaMemoryTypeUnregistered;
}

}  // namespace cuda_on_cpu
