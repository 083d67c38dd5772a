#include "device/given_memory.hpp"

#include <iterator>
#include <map>

#include "base/hooks.hpp"
#include "base/own_mutex.hpp"
#include "device/device.hpp"
#include "device/device_memory.hpp"
#include "device/graph_memory.hpp"

namespace cuda_on_cpu {
namespace {

OwnMutex given_mutex;
// Objects of the program may free memory when they end, after main(): what the runtime knows ends
// later.
[[gnu::init_priority(200)]] std::map<const void *, int> given;  // with the device that was current

void (*free_more)() = nullptr;

}  // namespace

void at_reset(void (*free)()) {
  const std::lock_guard lock(given_mutex);
  free_more = free;
}

void note_given(void *buffer) {
  const std::lock_guard lock(given_mutex);
  given[buffer] = current_device();
}

void forget_given(void *buffer) {
  const std::lock_guard lock(given_mutex);
  given.erase(buffer);
}

void free_given() {
  if (free_more) free_more();
  forget_graph_memory();
  const std::lock_guard lock(given_mutex);
  for (const auto &[begin, device] : given) {
    void *buffer = const_cast<void *>(begin);
    DeviceMemory::instance().release(buffer);
    if (hooks) hooks->memory(buffer, 0, MemoryEvent::freed_by_reset, nullptr);
  }
  given.clear();
}

int device_of(const void *address) {
  const std::lock_guard lock(given_mutex);
  const auto after = given.upper_bound(address);
  if (after == given.begin() || !DeviceMemory::instance().contains(address))
    return current_device();
  return std::prev(after)->second;
}

}  // namespace cuda_on_cpu
