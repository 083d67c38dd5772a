// When the device's memory is closed to the host, and what is closed with it.
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <utility>

#include "base/counts.hpp"
#include "base/forget_registers.hpp"
#include "base/hooks.hpp"
#include "base/own_mapping.hpp"
#include "base/rounding.hpp"
#include "cuda_on_cpu/control.hpp"
#include "device/device_memory.hpp"
#include "messages/diagnostics.hpp"

// Of the linker script; addresses alone count. Without it they are null.
extern "C" {
[[gnu::weak, gnu::visibility("hidden")]] extern char warpwise_first_variable;
[[gnu::weak, gnu::visibility("hidden")]] extern char warpwise_last_variable;
}

namespace cuda_on_cpu {
namespace {

void protect_variables(int protection) {
  if (const auto variables = device_variables(); !variables.empty())
    mprotect(variables.data(), variables.size(), protection);
}

bool is_in(std::span<const char> pages, const void *address) {
  return address >= pages.data() && address < pages.data() + pages.size();
}

}  // namespace

std::span<char> device_variables() {
  const auto first = reinterpret_cast<std::uintptr_t>(&warpwise_first_variable);
  const auto last = reinterpret_cast<std::uintptr_t>(&warpwise_last_variable);
  return {reinterpret_cast<char *>(first), last > first ? last - first : 0};
}

std::vector<char> content_of_variables() {
  const auto variables = device_variables();
  const auto access = DeviceMemory::instance().open_for_copy(variables.data(), nullptr);
  return {variables.begin(), variables.end()};
}

void put_back_variables(const std::vector<char> &content) {
  const auto variables = device_variables();
  const auto access = DeviceMemory::instance().open_for_copy(variables.data(), nullptr);
  std::ranges::copy(content, variables.begin());
}

bool DeviceMemory::is_variable(const void *address) {
  if (is_in(device_variables(), address)) return true;
  const std::lock_guard lock(mutex_);
  const auto after = symbols_.upper_bound(static_cast<const char *>(address));
  if (after == symbols_.begin()) return false;
  const auto &[symbol, bytes] = *std::prev(after);
  return is_in(std::span(symbol, bytes), address);
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
  return Access(*this, all);
}

void DeviceMemory::guard(int launches) {
  const std::lock_guard lock(mutex_);
  guarded_launches_ = launches;
  closings_ = 0;
  if (const auto variables = device_variables(); !variables.empty())
    make_own_mapping(variables.data(), variables.size());
  if (users_ > 0) return;
  if (launches > 0) return close_all();
  open_buffers();
  open_variables();
}

DeviceMemory::Opens DeviceMemory::kind_of(const void *address) const {
  return contains(address) ? buffers : is_in(device_variables(), address) ? variables : nothing;
}

void DeviceMemory::open(unsigned wanted) {
  const std::lock_guard lock(mutex_);
  ++users_;
  if (wanted & buffers) open_buffers();
  if (wanted & variables) open_variables();
  // A launch opens the shared memory that it needs itself.
  if (wanted & shared_memory && hooks)
    for (auto &[pages, arena] : arenas_) protect_arena(pages, arena, true);
}

void DeviceMemory::close() {
  const std::lock_guard lock(mutex_);
  const bool is_open = opened_ || opened_variables_;
  if (--users_ == 0 && is_open && guarded_launches_ > 0 && closes_now()) close_all();
  forget_registers();
}

// To close and open takes 10 us. A call with a hundred thousand launches would do little else. So
// after its first closings they are rare, and nobody can tell when the next one comes: who touches
// the memory from the host must be lucky in every call. It may also ask whether the memory is
// closed, by a system call that fails: so a checked run, which has few calls, closes it each time.
bool DeviceMemory::closes_now() {
  constexpr int kAlways = 128;
  if (hooks) return true;
  constexpr unsigned kOneIn = 32;
  static std::minstd_rand random{std::random_device{}()};
  return closings_ < kAlways ? ++closings_, true : random() % kOneIn == 0;
}

// Pages before closed_from_ are open, those from open_to_ on are closed. In between they open and
// close.
void DeviceMemory::open_buffers() {
  if (std::exchange(opened_, true)) return;
  open_to_ = closed_from_;
  open_until(std::max(end_of_use(), deferred_to_));
  do_deferred();
}

void DeviceMemory::open_variables() {
  if (!std::exchange(opened_variables_, true)) protect_variables(PROT_READ | PROT_WRITE);
}

void DeviceMemory::close_all() {
  if (std::exchange(opened_, false)) {
    // From the first buffer in use. With a checker freed addresses are not used again, and a
    // program with many calls would spend its time on their pages. Once opened, they stay open.
    const std::size_t first = (live_.empty() ? high_water_ : live_.begin()->first) - base_;
    char *from = base_ + (first > kGuardBytes ? (first - kGuardBytes) / kPage * kPage : 0);
    closed_from_ = std::min(from, open_to_);
    if (closed_from_ < open_to_) mprotect(closed_from_, open_to_ - closed_from_, PROT_NONE);
  }
  if (std::exchange(opened_variables_, false)) protect_variables(PROT_NONE);
  for (auto &[pages, arena] : arenas_) protect_arena(pages, arena, false);
}

// After one call with a large input the range stays large, and to open and close all of it took
// most of the time of the small calls. So what is after the last buffer stays closed. A checker
// reports what a kernel does there, and the kernel goes on.
char *DeviceMemory::end_of_use() const {
  if (hooks) return high_water_;
  if (live_.empty()) return closed_from_;
  const auto &[buffer, bytes] = *live_.rbegin();
  return std::min(buffer - kGuardBytes + chunk_bytes_for(bytes), high_water_);
}

bool DeviceMemory::open_until(char *end) {
  constexpr std::ptrdiff_t kLarge = std::ptrdiff_t{4} << 20;
  char *page = base_ + round_up(end - base_, kPage);
  if (page <= open_to_) return true;
  if (mprotect(open_to_, page - open_to_, PROT_READ | PROT_WRITE) != 0) return false;
  if (page > opened_once_) {
    make_own_mapping(opened_once_, page - opened_once_);
    // Each page takes time whenever it opens or closes.
    if (page - opened_once_ >= kLarge) madvise(opened_once_, page - opened_once_, MADV_HUGEPAGE);
    opened_once_ = page;
  }
  open_to_ = page;
  return true;
}

bool DeviceMemory::protect_arena(char *pages, Arena &arena, bool opened) {
  if (std::exchange(arena.is_open, opened) == opened) return true;
  return mprotect(pages, arena.bytes, opened ? PROT_READ | PROT_WRITE : PROT_NONE) == 0;
}

void DeviceMemory::add_arena(char *pages, std::size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    arenas_[pages] = {bytes, false};
  }
  make_own_mapping(pages, bytes);
  if (hooks) open_arena(pages);
}

void DeviceMemory::remove_arena(char *pages) {
  const std::lock_guard lock(mutex_);
  arenas_.erase(pages);
}

void DeviceMemory::open_arena(char *pages) {
  const std::lock_guard lock(mutex_);
  if (!protect_arena(pages, arenas_.at(pages), true))
    die("memory", "no memory for the shared memory of a block");
}

bool DeviceMemory::is_other(const void *address) {
  if (is_in(device_variables(), address)) return true;
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(arenas_, [&](const auto &entry) {
    const auto &[pages, arena] = entry;
    return is_in(std::span(pages, arena.bytes), address);
  });
}

void guard_device_memory(int launches) {
  DeviceMemory::instance().guard(launches);
  protect_counts();
}

}  // namespace cuda_on_cpu
