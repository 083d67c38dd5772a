#include "host_shadows.hpp"

#include <cstring>
#include <iterator>

namespace cuda_on_cpu::check {

// The host writes there as it likes, so nothing counts as unwritten.
void HostShadows::add(const char *begin, std::size_t bytes) {
  const auto all = [](const char *, WordState *words) {
    std::memset(words, kAccessible | kWritten, kPageWords);
  };
  const std::lock_guard lock(mutex_);
  shadows_[begin] = std::make_unique<Shadow>(begin, bytes, all);
}

void HostShadows::remove(const char *begin) {
  const std::lock_guard lock(mutex_);
  shadows_.erase(begin);
}

bool HostShadows::begins_at(const char *address) {
  const std::unique_lock lock(mutex_, std::try_to_lock);  // the list frees its own nodes, too
  return lock && shadows_.contains(address);
}

Shadow *HostShadows::find(const char *address) {
  const std::lock_guard lock(mutex_);
  const auto after = shadows_.upper_bound(address);
  if (after == shadows_.begin()) return nullptr;
  Shadow &shadow = *std::prev(after)->second;
  return shadow.contains(address) ? &shadow : nullptr;
}

}  // namespace cuda_on_cpu::check
