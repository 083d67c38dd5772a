// When the device's memory is closed to the host, and what is closed with it.
#include <sys/mman.h>

#include <cstdint>
#include <random>

#include "counts.hpp"
#include "device_memory.hpp"
#include "hooks.hpp"
#include "rounding.hpp"

// Of the linker script; addresses alone count. Without it they are null.
extern "C" {
[[gnu::weak, gnu::visibility("hidden")]] extern char warpwise_first_variable;
[[gnu::weak, gnu::visibility("hidden")]] extern char warpwise_last_variable;
}

namespace cuda_on_cpu {
namespace {

// `spans`: begin -> bytes.
template <class Spans>
bool is_in(const Spans &spans, const void *address) {
  auto after = spans.upper_bound(static_cast<char *>(const_cast<void *>(address)));
  return after != spans.begin() && (--after, address < after->first + after->second);
}

}  // namespace

std::span<char> device_variables() {
  const auto first = reinterpret_cast<std::uintptr_t>(&warpwise_first_variable);
  const auto last = reinterpret_cast<std::uintptr_t>(&warpwise_last_variable);
  return {reinterpret_cast<char *>(first), last > first ? last - first : 0};
}

bool DeviceMemory::is_variable(const void *address) {
  const auto variables = device_variables();
  if (address >= variables.data() && address < variables.data() + variables.size()) return true;
  const std::lock_guard lock(mutex_);
  return is_in(symbols_, address);
}

void DeviceMemory::remove_symbol(const void *symbol) {
  const std::lock_guard lock(mutex_);
  symbols_.erase(static_cast<const char *>(symbol));
}

void DeviceMemory::add_symbol(const void *symbol, std::size_t bytes) {
  // Those on pages of their own are all: a submission may ask for the address of a host's variable.
  if (device_variables().data()) return;
  const std::lock_guard lock(mutex_);
  symbols_[static_cast<const char *>(symbol)] = bytes;
}

DeviceMemory::Access DeviceMemory::open_for_launch() {
  {
    const std::lock_guard lock(mutex_);
    if (guarded_launches_ > 0) --guarded_launches_;
  }
  return Access(*this);
}

void DeviceMemory::guard(int launches) {
  const std::lock_guard lock(mutex_);
  guarded_launches_ = launches;
  closings_ = 0;
  if (users_ == 0) protect(launches <= 0);
}

void DeviceMemory::open() {
  const std::lock_guard lock(mutex_);
  if (users_++ == 0) protect(true);
}

void DeviceMemory::close() {
  const std::lock_guard lock(mutex_);
  if (--users_ == 0 && guarded_launches_ > 0 && closes_now()) protect(false);
}

// To close and open takes 20 us. A call with a hundred thousand launches would do little else. So
// after its first closings they are rare, and nobody can tell when the next one comes: who touches
// the memory from the host must be lucky in every call. It may also ask whether the memory is closed,
// by a system call that fails: so a checked run, which has few calls, closes it each time.
bool DeviceMemory::closes_now() {
  constexpr int kAlways = 128;
  if (hooks) return true;
  constexpr unsigned kOneIn = 32;
  static std::minstd_rand random{std::random_device{}()};
  return closings_ < kAlways ? ++closings_, true : random() % kOneIn == 0;
}

void DeviceMemory::protect(bool opened) {
  if (opened == opened_) return;
  opened_ = opened;
  // Closes from the first buffer in use. With a checker freed addresses are not used again, and a
  // program with many calls would spend its time on their pages. Once opened, they stay open.
  if (!opened) {
    const std::size_t first = (live_.empty() ? high_water_ : live_.begin()->first) - base_;
    closed_from_ = base_ + (first > kGuardBytes ? (first - kGuardBytes) / kPage * kPage : 0);
  }
  const int protection = opened ? PROT_READ | PROT_WRITE : PROT_NONE;
  const std::size_t used = round_up(high_water_ - base_, kPage) - (closed_from_ - base_);
  if (used) mprotect(closed_from_, used, protection);
  for (const auto &[pages, bytes] : others_) mprotect(pages, bytes, protection);
}

void DeviceMemory::add_other(char *pages, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  others_[pages] = bytes;
}

void DeviceMemory::remove_other(char *pages) {
  const std::lock_guard lock(mutex_);
  others_.erase(pages);
}

bool DeviceMemory::is_other(const void *address) {
  const std::lock_guard lock(mutex_);
  return is_in(others_, address);
}

void guard_device_memory(int launches) {
  DeviceMemory::instance().guard(launches);
  protect_counts();
}

}  // namespace cuda_on_cpu
