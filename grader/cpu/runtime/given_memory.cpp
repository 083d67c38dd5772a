#include "given_memory.hpp"

#include <mutex>
#include <set>

#include "device_memory.hpp"
#include "hooks.hpp"

namespace cuda_on_cpu {
namespace {

std::mutex given_mutex;
std::set<void *> given;

}  // namespace

void note_given(void *buffer) {
  const std::lock_guard lock(given_mutex);
  given.insert(buffer);
}

void forget_given(void *buffer) {
  const std::lock_guard lock(given_mutex);
  given.erase(buffer);
}

void free_given() {
  const std::lock_guard lock(given_mutex);
  for (void *buffer : given) {
    DeviceMemory::instance().release(buffer);
    if (hooks) hooks->memory(buffer, 0, MemoryEvent::freed_by_reset, nullptr);
  }
  given.clear();
}

}  // namespace cuda_on_cpu
