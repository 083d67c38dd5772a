#include "device/device_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/hooks.hpp"
#include "base/rounding.hpp"
#include "base/signals.hpp"
#include "cuda_on_cpu/virtual_device.hpp"
#include "messages/diagnostics.hpp"

namespace cuda_on_cpu {
namespace {

constexpr std::size_t kSmallestArena = std::size_t{64} << 20;

void *reserve(std::size_t bytes) {
  return mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

}  // namespace

// A checker sees every access. With more room after a buffer, an index that is far outside still
// does not hit another buffer.
std::size_t DeviceMemory::chunk_bytes_for(std::size_t bytes) {
  const std::size_t room = hooks ? std::clamp<std::size_t>(bytes, 4096, 1 << 20) : 0;
  return 2 * kGuardBytes + round_up(bytes + room, kAllocationAlignment);
}

DeviceMemory &DeviceMemory::instance() {
  // Never destroyed: destructors of static objects may still call cudaFree.
  static auto *memory = new DeviceMemory;
  return *memory;
}

// If the judge limits address space (RLIMIT_AS), the device is smaller: half of what is available,
// because the program needs some too.
DeviceMemory::DeviceMemory() {
  install_signal_handlers();
  if (const long page = sysconf(_SC_PAGESIZE); page != static_cast<long>(kPage))
    die("machine",
        "this system's memory pages have %ld bytes: CUDA on the CPU needs a system, for example a "
        "virtual one, with pages of %zu",
        page, kPage);
  capacity_ = kGlobalMemory;
  void *memory = reserve(capacity_);
  while (memory == MAP_FAILED && capacity_ > kSmallestArena) {
    capacity_ /= 2;
    memory = reserve(capacity_);
    if (memory == MAP_FAILED) continue;
    capacity_ /= 2;
    munmap(static_cast<char *>(memory) + capacity_, capacity_);
  }
  if (memory == MAP_FAILED) capacity_ = 0;  // every cudaMalloc fails
  base_ = high_water_ = closed_from_ = open_to_ = opened_once_ = static_cast<char *>(memory);
}

void *DeviceMemory::allocate(std::size_t bytes) {
  if (bytes > capacity_) return nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (!grants_allocation()) return nullptr;
    if (char *chunk = take_closed_chunk(chunk_bytes_for(bytes))) return add_buffer(chunk, bytes);
  }
  const Access access(*this, buffers);
  const std::lock_guard lock(mutex_);
  char *chunk = take_chunk(chunk_bytes_for(bytes));
  return chunk ? add_buffer(chunk, bytes) : nullptr;
}

// Freed memory that is closed and stays so.
char *DeviceMemory::take_closed_chunk(std::size_t bytes) {
  char *freed = hooks ? nullptr : free_chunks_.take(bytes);
  if (!freed || defers(freed, bytes)) return freed;
  free_chunks_.give_back(freed, bytes);
  return nullptr;
}

bool DeviceMemory::grants_allocation() {
  if (!refused_) return true;
  if (granted_ == 0) return false;
  --granted_;
  return true;
}

void *DeviceMemory::add_buffer(char *chunk, std::size_t bytes) {
  char *buffer = chunk + kGuardBytes;
  live_[buffer] = bytes;
  live_bytes_ += chunk_bytes_for(bytes);
  write_when_open({Does::prepares, buffer, bytes, kUninitialised});
  return buffer;
}

// Takes freed memory first, then fresh addresses. With a checker it is the other way round: a use
// after cudaFree shows only if the addresses are not used again.
char *DeviceMemory::take_chunk(std::size_t bytes) {
  const bool fresh = bytes <= static_cast<std::size_t>(base_ + capacity_ - high_water_);
  if (!hooks || !fresh)
    if (char *freed = free_chunks_.take(bytes)) {
      if (open_until(freed + bytes)) return freed;
      free_chunks_.give_back(freed, bytes);
      return nullptr;
    }
  if (!fresh || !open_until(high_water_ + bytes)) return nullptr;
  return std::exchange(high_water_, high_water_ + bytes);
}

bool DeviceMemory::release(void *pointer) {
  const auto find = [&] {
    const auto found = live_.find(static_cast<char *>(pointer));
    return found == live_.end() || adopted_.contains(found->first) ? live_.end() : found;
  };
  {
    const std::lock_guard lock(mutex_);
    const auto found = find();
    if (found == live_.end()) return false;
    const auto [buffer, bytes] = *found;
    // Of a large one the pages go back at once.
    if (bytes < kReturnToSystemBytes && defers(buffer - kGuardBytes, chunk_bytes_for(bytes))) {
      end_buffer(found);
      return true;
    }
  }
  const Access access(*this, buffers);
  const std::lock_guard lock(mutex_);
  const auto found = find();
  if (found == live_.end()) return false;  // another thread was faster
  end_buffer(found);
  return true;
}

void DeviceMemory::end_buffer(std::map<char *, std::size_t>::iterator found) {
  const auto [buffer, bytes] = *found;
  live_.erase(found);
  live_bytes_ -= chunk_bytes_for(bytes);
  write_when_open({Does::ends, buffer, bytes, kUninitialised});
  return_chunk(buffer - kGuardBytes, chunk_bytes_for(bytes));
}

void DeviceMemory::return_chunk(char *chunk, std::size_t bytes) {
  if (bytes >= kReturnToSystemBytes) {  // whole pages only, to keep the neighbours' guards
    char *first = base_ + round_up(chunk - base_, kPage);
    char *last = base_ + (chunk + bytes - base_) / kPage * kPage;
    madvise(first, last - first, MADV_DONTNEED);
  }
  free_chunks_.give_back(chunk, bytes);
}

bool DeviceMemory::holds(const void *address, std::size_t bytes) {
  if (is_variable(address))
    return bytes == 0 || is_variable(static_cast<const char *>(address) + bytes - 1);
  const std::lock_guard lock(mutex_);
  char *wanted = static_cast<char *>(const_cast<void *>(address));
  auto after = live_.upper_bound(wanted);
  if (after == live_.begin()) return false;
  const auto [buffer, buffer_bytes] = *std::prev(after);
  const auto offset = static_cast<std::size_t>(wanted - buffer);
  return offset <= buffer_bytes && bytes <= buffer_bytes - offset;
}

std::size_t DeviceMemory::free_bytes() {
  const std::lock_guard lock(mutex_);
  return refused_ && granted_ == 0 ? 0 : capacity_ - live_bytes_;
}

void DeviceMemory::refuse(bool refuse, unsigned granted) {
  const std::lock_guard lock(mutex_);
  refused_ = refuse;
  granted_ = granted;
}

std::size_t DeviceMemory::live_buffers() {
  const std::lock_guard lock(mutex_);
  return live_.size() - adopted_.size();
}

std::size_t live_buffers() { return DeviceMemory::instance().live_buffers(); }
void refuse_device_memory(bool refuse, unsigned granted) {
  DeviceMemory::instance().refuse(refuse, granted);
}

}  // namespace cuda_on_cpu
