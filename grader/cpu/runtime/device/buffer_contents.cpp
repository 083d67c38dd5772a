// What the runtime itself writes to buffers: at once where they are open, or when they next open.
// While they are closed nobody can look, and a call with a few launches has more allocations, fills
// and frees than launches: to open and close for each took longer than the writing.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/counts.hpp"
#include "base/hooks.hpp"
#include "base/rounding.hpp"
#include "device/device_memory.hpp"
#include "device/order.hpp"
#include "messages/diagnostics.hpp"

namespace cuda_on_cpu {
namespace {

constexpr unsigned char kGuardByte = 0xa5;
// Filling more than this would only cost real memory.
constexpr std::size_t kMaxFilledBytes = std::size_t{256} << 20;
constexpr std::size_t kMostDeferred = 256;

// In random order words hold 0, 1, 2 or 3 instead of -1: the numbers of the first rounds of a loop.
// So a program does not do the same in all orders if it depends on what was never written. A
// checker does not see that where an atomic exchange is the read: it may be a first write.
void fill_uninitialised(char *buffer, std::size_t bytes) {
  std::memset(buffer, kUninitialised, bytes);
  if (order_settings().order != Order::random) return;
  for (std::uint32_t i = 0; i < bytes / sizeof i; ++i) {
    const std::uint32_t word = i * 0x9E3779B1u >> 30;
    std::memcpy(buffer + i * sizeof i, &word, sizeof word);
  }
}

void report_damage(const DamagedBuffer &damage) {
  if (damage.bytes_behind)
    report("memory", "wrote %zu bytes beyond the end of a buffer of %zu bytes", damage.bytes_behind,
           damage.bytes);
  if (damage.bytes_before)
    report("memory", "wrote %zu bytes before the start of a buffer of %zu bytes",
           damage.bytes_before, damage.bytes);
}

}  // namespace

// Not for programs that nobody judges: a buffer's damage is told when it is freed, and not later or
// never. Pages before closed_from_ are open, and those that were never open the system may refuse.
bool DeviceMemory::defers(const char *from, std::size_t bytes) const {
  return !opened_ && counts_are_protected() && deferred_.size() < kMostDeferred &&
         from >= closed_from_ && from + bytes <= opened_once_;
}

void DeviceMemory::write_when_open(const Write &write) {
  if (opened_) return write_now(write);
  deferred_.push_back(write);
  const char *end = write.does == Does::fills
                        ? write.buffer + write.bytes
                        : write.buffer - kGuardBytes + chunk_bytes_for(write.bytes);
  deferred_to_ = std::max(deferred_to_, const_cast<char *>(end));
}

// In their order: a buffer that was freed may be another's chunk by now.
void DeviceMemory::do_deferred() {
  for (const Write &write : deferred_) write_now(write);
  deferred_.clear();
  deferred_to_ = nullptr;
}

void DeviceMemory::write_now(const Write &write) {
  const auto &[does, buffer, bytes, value] = write;
  switch (does) {
    case Does::prepares: return prepare(buffer, bytes);
    case Does::ends: return wipe(buffer, bytes);
    case Does::fills: std::memset(buffer, value, bytes);
  }
}

void DeviceMemory::prepare(char *buffer, std::size_t bytes) {
  std::memset(buffer - kGuardBytes, kGuardByte, kGuardBytes);
  fill_uninitialised(buffer, std::min(bytes, kMaxFilledBytes));
  std::memset(buffer + bytes, kGuardByte, chunk_bytes_for(bytes) - kGuardBytes - bytes);
}

// A later call finds nothing by a pointer that it has kept. Whole pages of a large buffer go back
// to the system.
void DeviceMemory::wipe(char *buffer, std::size_t bytes) {
  if (!hooks)  // a checker has already reported it, with the line
    if (const auto damage = damage_of(buffer, bytes)) damaged_when_freed_ = damage;
  const bool is_large = bytes >= kReturnToSystemBytes;
  std::memset(buffer, kUninitialised, is_large ? kPage : bytes);
  if (is_large) std::memset(buffer + bytes - kPage, kUninitialised, kPage);
}

void DeviceMemory::fill(void *to, int value, std::size_t bytes) {
  {
    char *const first = static_cast<char *>(to);
    const std::lock_guard lock(mutex_);
    if (contains(to) && defers(first, bytes))
      return write_when_open({Does::fills, first, bytes, value});
  }
  const Access access(*this, kind_of(to));
  std::memset(to, value, bytes);
}

std::optional<DamagedBuffer> DeviceMemory::find_damaged() {
  const Access access(*this, buffers);
  const std::lock_guard lock(mutex_);
  for (const auto &[buffer, bytes] : live_)
    if (!adopted_.contains(buffer))
      if (const auto damage = damage_of(buffer, bytes)) return damage;
  const auto earlier = std::exchange(damaged_when_freed_, std::nullopt);
  if (earlier) report_damage(*earlier);
  return earlier;
}

std::optional<DamagedBuffer> DeviceMemory::damage_of(char *buffer, std::size_t bytes) const {
  const auto changed = [](const char *from, const char *to) {
    return static_cast<std::size_t>(std::count_if(
        from, to, [](char byte) { return static_cast<unsigned char>(byte) != kGuardByte; }));
  };
  const std::size_t before = changed(buffer - kGuardBytes, buffer);
  const std::size_t behind = changed(buffer + bytes, buffer - kGuardBytes + chunk_bytes_for(bytes));
  if (!before && !behind) return std::nullopt;
  const DamagedBuffer damage{buffer, bytes, before, behind};
  report_damage(damage);
  return damage;
}

std::optional<DamagedBuffer> find_damaged_buffer() {
  return DeviceMemory::instance().find_damaged();
}

}  // namespace cuda_on_cpu
