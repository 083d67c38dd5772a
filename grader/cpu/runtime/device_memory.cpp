#include "device_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <utility>

#include "counts.hpp"
#include "cuda_on_cpu/virtual_device.hpp"
#include "diagnostics.hpp"
#include "hooks.hpp"
#include "order.hpp"
#include "rounding.hpp"
#include "signals.hpp"

// Of the linker script; addresses alone count. Without it they are null.
extern "C" {
[[gnu::weak, gnu::visibility("hidden")]] extern char warpwise_first_variable;
[[gnu::weak, gnu::visibility("hidden")]] extern char warpwise_last_variable;
}

namespace cuda_on_cpu {
namespace {

// Closing and opening 4 MiB costs 130 us per launch. 64 launches are enough to find every program
// that dereferences a device pointer on the host, and do not slow down a program of 10 000
// launches.
constexpr int kGuardedLaunches = 64;

constexpr std::size_t kGuardBytes = 256;
constexpr unsigned char kGuardByte = 0xa5;
// Filling more than this would only cost real memory.
constexpr std::size_t kMaxFilledBytes = std::size_t{256} << 20;
constexpr std::size_t kReturnToSystemBytes = std::size_t{1} << 20;
constexpr std::size_t kSmallestArena = std::size_t{64} << 20;

void *reserve(std::size_t bytes) {
  return mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}
// A checker sees every access. With more room after a buffer, an index that is far outside still
// does not hit another buffer.
std::size_t chunk_bytes_for(std::size_t bytes) {
  const std::size_t room = hooks ? std::clamp<std::size_t>(bytes, 4096, 1 << 20) : 0;
  return 2 * kGuardBytes + round_up(bytes + room, kAllocationAlignment);
}

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

// `spans`: begin -> bytes.
template <class Spans>
bool is_in(const Spans &spans, const void *address) {
  auto after = spans.upper_bound(static_cast<char *>(const_cast<void *>(address)));
  return after != spans.begin() && (--after, address < after->first + after->second);
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

std::span<char> device_variables() {
  const auto first = reinterpret_cast<std::uintptr_t>(&warpwise_first_variable);
  const auto last = reinterpret_cast<std::uintptr_t>(&warpwise_last_variable);
  return {reinterpret_cast<char *>(first), last > first ? last - first : 0};
}

DeviceMemory &DeviceMemory::instance() {
  // Never destroyed: destructors of static objects may still call cudaFree.
  static auto *memory = new DeviceMemory;
  return *memory;
}

// If the judge limits address space (RLIMIT_AS), the device is smaller: half of what is available,
// because the program needs some too.
DeviceMemory::DeviceMemory() : guarded_launches_(kGuardedLaunches) {
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
  base_ = high_water_ = closed_from_ = static_cast<char *>(memory);
  if (const auto variables = device_variables(); !variables.empty())
    others_[variables.data()] = variables.size();
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

void *DeviceMemory::allocate(std::size_t bytes) {
  if (bytes > capacity_) return nullptr;
  const Access access(*this);
  const std::lock_guard lock(mutex_);
  if (refused_ && granted_ == 0) return nullptr;
  if (refused_) --granted_;
  const std::size_t chunk_bytes = chunk_bytes_for(bytes);
  char *chunk = take_chunk(chunk_bytes);
  if (!chunk) return nullptr;
  char *buffer = chunk + kGuardBytes;
  std::memset(chunk, kGuardByte, kGuardBytes);
  fill_uninitialised(buffer, std::min(bytes, kMaxFilledBytes));
  std::memset(buffer + bytes, kGuardByte, chunk_bytes - kGuardBytes - bytes);
  live_[buffer] = bytes;
  live_bytes_ += chunk_bytes;
  return buffer;
}

// Takes freed memory first, then fresh addresses. With a checker it is the other way round: a use
// after cudaFree shows only if the addresses are not used again.
char *DeviceMemory::take_chunk(std::size_t bytes) {
  const bool fresh = bytes <= static_cast<std::size_t>(base_ + capacity_ - high_water_);
  if (!hooks || !fresh)
    if (char *freed = free_chunks_.take(bytes)) return freed;
  if (!fresh) return nullptr;
  char *chunk = high_water_;
  const std::size_t mapped = round_up(high_water_ - base_, kPage);
  const std::size_t needed = round_up(high_water_ + bytes - base_, kPage);
  if (needed > mapped && mprotect(base_ + mapped, needed - mapped, PROT_READ | PROT_WRITE) != 0)
    return nullptr;
  high_water_ += bytes;
  return chunk;
}

bool DeviceMemory::release(void *pointer) {
  const Access access(*this);
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(static_cast<char *>(pointer));
  if (found == live_.end() || adopted_.contains(found->first)) return false;
  const auto [buffer, bytes] = *found;
  if (!hooks)  // a checker has already reported it, with the line
    if (const auto damage = damage_of(buffer, bytes)) damaged_when_freed_ = damage;
  live_.erase(found);
  live_bytes_ -= chunk_bytes_for(bytes);
  return_chunk(buffer - kGuardBytes, chunk_bytes_for(bytes));
  return true;
}

std::vector<void *> DeviceMemory::adopt(int file, const std::vector<LentSpan> &spans) {
  const Access access(*this);
  std::vector<void *> buffers;
  bool adopted = true;
  {
    const std::lock_guard lock(mutex_);
    // With a checker each span is a piece of its own, with room between it and the next.
    const std::size_t at_once = hooks ? 1 : spans.size();
    for (std::size_t i = 0; i < spans.size() && adopted; i += at_once)
      adopted = adopt_piece(file, std::span(spans).subspan(i, at_once), buffers);
  }
  if (adopted) return buffers;
  for (void *buffer : buffers) abandon(buffer);
  return {};
}

bool DeviceMemory::adopt_piece(int file, std::span<const LentSpan> spans,
                               std::vector<void *> &buffers) {
  const std::size_t offset = spans.front().offset;
  const std::size_t bytes = round_up(spans.back().offset + spans.back().bytes - offset, kPage);
  const std::size_t chunk_bytes = chunk_bytes_for(bytes) + kPage;  // the pages begin at one
  char *chunk = take_chunk(chunk_bytes);
  if (!chunk) return false;
  char *pages = base_ + round_up(chunk - base_, kPage);
  if (mmap(pages, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, file,
           static_cast<off_t>(offset)) == MAP_FAILED) {
    free_chunks_.give_back(chunk, chunk_bytes);
    return false;
  }
  Piece piece{chunk, pages, chunk_bytes, bytes, {}};
  for (const LentSpan &span : spans) {
    char *buffer = pages + (span.offset - offset);
    live_[buffer] = span.bytes;
    adopted_.insert(buffer);
    piece.buffers.push_back(buffer);
    buffers.push_back(buffer);
  }
  live_bytes_ += chunk_bytes;
  pieces_[piece.buffers.front()] = std::move(piece);
  return true;
}

void DeviceMemory::abandon(void *first) {
  const Access access(*this);
  const std::lock_guard lock(mutex_);
  const auto found = pieces_.find(static_cast<char *>(first));
  if (found == pieces_.end()) return;
  const auto &[chunk, pages, chunk_bytes, page_bytes, buffers] = found->second;
  for (char *buffer : buffers) {
    live_.erase(buffer);
    adopted_.erase(buffer);
  }
  mmap(pages, page_bytes, PROT_READ | PROT_WRITE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  live_bytes_ -= chunk_bytes;
  free_chunks_.give_back(chunk, chunk_bytes);
  pieces_.erase(found);
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

std::optional<DamagedBuffer> DeviceMemory::find_damaged() {
  const Access access(*this);
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
std::size_t live_buffers() { return DeviceMemory::instance().live_buffers(); }
void refuse_device_memory(bool refuse, unsigned granted) {
  DeviceMemory::instance().refuse(refuse, granted);
}
void guard_device_memory(int launches) {
  DeviceMemory::instance().guard(launches);
  protect_counts();
}

std::vector<void *> adopt_device_memory(int file, const std::vector<LentSpan> &spans) {
  std::vector<void *> buffers = DeviceMemory::instance().adopt(file, spans);
  if (hooks)
    for (std::size_t i = 0; i < buffers.size(); ++i)
      hooks->memory(buffers[i], spans[i].bytes, MemoryEvent::allocated, nullptr);
  return buffers;
}
void abandon_device_memory(const std::vector<void *> &buffers) {
  for (void *buffer : buffers) {
    if (hooks) hooks->memory(buffer, 0, MemoryEvent::freed, nullptr);
    DeviceMemory::instance().abandon(buffer);
  }
}

}  // namespace cuda_on_cpu
