#include "device/graph_memory.hpp"

#include <atomic>
#include <cstring>
#include <iterator>
#include <map>
#include <utility>

#include "base/hooks.hpp"
#include "base/own_mutex.hpp"
#include "base/statistics.hpp"
#include "device/device_memory.hpp"
#include "device/given_memory.hpp"
#include "messages/failures.hpp"
#include "streams/stream_order.hpp"

namespace cuda_on_cpu {
namespace {

OwnMutex memories_mutex;
// Graphs may end after main(), with the program's objects.
[[gnu::init_priority(200)]] std::map<const void *, std::weak_ptr<GraphMemory>> memories;
std::atomic<int> count{0};  // most programs have none

void overwrite(void *address, std::size_t bytes) {
  const auto access = DeviceMemory::instance().open_for_copy();
  std::memset(address, kUninitialised, bytes);
}

}  // namespace

std::shared_ptr<GraphMemory> GraphMemory::reserve(std::size_t bytes) {
  void *const address = DeviceMemory::instance().allocate(bytes);
  if (!address) return nullptr;
  const std::shared_ptr<GraphMemory> made(new GraphMemory(address, bytes));
  const std::lock_guard lock(memories_mutex);
  memories[address] = made;
  ++count;
  count_allocation();  // a kernel can use it from here on
  return made;
}

std::shared_ptr<GraphMemory> GraphMemory::at(const void *address) {
  if (count == 0) return nullptr;
  const std::lock_guard lock(memories_mutex);
  const auto found = memories.find(address);
  return found == memories.end() ? nullptr : found->second.lock();
}

GraphMemory::~GraphMemory() {
  {
    const std::lock_guard lock(memories_mutex);
    memories.erase(address_);
    --count;
  }
  if (!live_ && !given_up_) DeviceMemory::instance().release(address_);
}

cudaError_t GraphMemory::allocate(const void *caller) {
  if (live_ || given_up_) {
    explain(live_ ? "the graph's memory has not been freed since its last launch: free it, or "
                    "instantiate with cudaGraphInstantiateFlagAutoFreeOnLaunch"
                  : "cudaDeviceReset() has taken the graph's memory");
    return cudaErrorInvalidValue;
  }
  live_ = true;
  overwrite(address_, bytes_);
  if (!std::exchange(is_counted_, false)) count_allocation();
  note_given(address_);
  if (hooks) hooks->memory(address_, bytes_, MemoryEvent::allocated, caller);
  if (asynchrony()) asynchrony()->changes_hands(address_, bytes_, "allocates", caller);
  return cudaSuccess;
}

bool GraphMemory::free() {
  if (!live_) return false;
  live_ = false;
  forget_given(address_);
  overwrite(address_, bytes_);
  if (hooks) hooks->memory(address_, 0, MemoryEvent::freed, nullptr);
  return true;
}

bool is_only_reserved(const void *address) {
  if (count == 0) return false;
  const std::lock_guard lock(memories_mutex);
  const auto after = memories.upper_bound(address);
  if (after == memories.begin()) return false;
  const auto memory = std::prev(after)->second.lock();
  const auto offset = static_cast<const char *>(address) -
                      static_cast<const char *>(std::prev(after)->first);
  return memory && !memory->is_live() && static_cast<std::size_t>(offset) < memory->bytes();
}

void forget_graph_memory() {
  const std::lock_guard lock(memories_mutex);
  for (const auto &[address, weak] : memories)
    if (const auto memory = weak.lock(); memory && memory->live_) {
      memory->live_ = false;
      memory->given_up_ = true;
    }
}

}  // namespace cuda_on_cpu
