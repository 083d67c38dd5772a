#include "device_heap.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "base/kernel_runs.hpp"
#include "base/rounding.hpp"
#include "cuda_runtime.h"
#include "device/device.hpp"
#include "device/device_memory.hpp"
#include "messages/diagnostics.hpp"
#include "messages/failures.hpp"
#include "messages/findings.hpp"
#include "messages/text.hpp"
#include "report.hpp"
#include "source_line.hpp"
#include "state.hpp"

namespace cuda_on_cpu::check {
namespace {

constexpr std::size_t kAlignment = 16;
constexpr std::size_t kRedZone = 32;  // after each block
constexpr std::size_t kArea = std::size_t{1} << 20;
constexpr std::size_t kMostOld = std::size_t{64} << 20;  // then freed blocks are used again

std::size_t room_for(std::size_t bytes) {
  return round_up(std::max<std::size_t>(bytes, 1), kAlignment) + kRedZone;
}

}  // namespace

const std::pair<const char *const, std::size_t> *DeviceHeap::area_of(const char *address) const {
  auto after = areas_.upper_bound(address);
  if (after == areas_.begin()) return nullptr;
  --after;
  return static_cast<std::size_t>(address - after->first) < after->second ? &*after : nullptr;
}

// Whole pages, because a page at the edge belongs to a buffer, too.
char *DeviceHeap::take(std::size_t bytes) {
  if (static_cast<std::size_t>(end_ - next_) < bytes) {
    const std::size_t wanted = round_up(std::max(kArea, bytes), kPageBytes);
    void *memory = DeviceMemory::instance().allocate(wanted + 2 * kPageBytes);
    if (!memory) return nullptr;
    const auto begin = round_up(reinterpret_cast<std::uintptr_t>(memory), kPageBytes);
    next_ = reinterpret_cast<char *>(begin);
    end_ = next_ + wanted;
    areas_[next_] = wanted;
  }
  char *block = next_;
  next_ += bytes;
  return block;
}

char *DeviceHeap::take_old(std::size_t bytes) {
  const auto same = old_.find(bytes);
  if (old_bytes_ < kMostOld || same == old_.end() || same->second.empty()) return nullptr;
  const char *block = same->second.front();
  same->second.pop_front();
  old_bytes_ -= bytes;
  return const_cast<char *>(block);
}

void *DeviceHeap::allocate(std::size_t bytes, std::uint32_t site) {
  const std::size_t limit = heap_limit();
  if (bytes > limit || used_ + bytes > limit) return nullptr;
  char *block = take_old(bytes);
  if (!block) block = take(room_for(bytes));
  if (!block) return nullptr;
  used_ += bytes;
  blocks_.insert_or_assign(block, Block{bytes, site});
  std::memset(block, kUninitialised, bytes);
  state().global.mark_accessible(block, bytes);
  state().global.mark_unwritten(block, bytes);
  return block;
}

// The thread that frees a block uses all of it: who still reads is in a race with that.
bool DeviceHeap::free(void *pointer, std::uint32_t site) {
  const char *address = static_cast<const char *>(pointer);
  if (!contains(address)) return false;
  const auto found = blocks_.find(address);
  if (found == blocks_.end() || found->second.is_free) {
    const std::string why = found == blocks_.end() ? "malloc did not return this pointer"
                                                   : "the block was already freed at " +
                                                         source_line(found->second.freed_at);
    report("memory", "kernel %s frees at %s: %s", state().kernel, source_line(site).c_str(),
           why.c_str());
    return true;
  }
  Block &block = found->second;
  free_sites_.insert(site);
  note_freed({address, block.bytes, false, true}, site);
  block.is_free = true;
  block.freed_at = site;
  block.freed = state().timeline.now(current_thread(), Strength::plain, site);
  state().global.mark_closed(address, block.bytes);
  used_ -= block.bytes;
  old_[block.bytes].push_back(address);
  old_bytes_ += block.bytes;
  return true;
}

DeviceHeap::Blocks::const_iterator DeviceHeap::nearest(const char *address) const {
  auto after = blocks_.upper_bound(address);
  return after == blocks_.begin() ? after : std::prev(after);
}

bool DeviceHeap::report_race_with_free(const Access &access, std::uint32_t site) const {
  if (!contains(access.address)) return false;
  const auto near = nearest(access.address);
  if (near == blocks_.end() || !near->second.is_free) return false;
  const auto &[begin, block] = *near;
  const Timeline &timeline = state().timeline;
  if (access.address < begin || access.address >= begin + block.bytes) return false;
  const Record now = timeline.now(current_thread(), access.strength, site);
  if (block.freed.epoch < timeline.launch_begin() ||
      !timeline.unordered(block.freed, now, access.address))
    return false;
  report_race({access.address, access.bytes, block.freed, now, Verb::writes,
               access.writes ? Verb::writes : Verb::reads});
  return true;
}

Place DeviceHeap::place(const char *address, std::size_t bytes) const {
  const auto near = nearest(address);
  if (near == blocks_.end()) return {"heap of kernels", "where there is no block"};
  const auto &[begin, block] = *near;
  const std::string freed = block.is_free && address < begin + block.bytes
                                ? "after it was freed at " + source_line(block.freed_at) + ","
                                : "";
  const long element = (address - begin) / static_cast<long>(std::max<std::size_t>(bytes, 1));
  return {"heap of kernels, a block of " + with_commas(block.bytes) + " bytes from " +
              source_line(block.made_at) + ", element " + std::to_string(element),
          !freed.empty() ? freed : address < begin ? "before its beginning" : "past its end"};
}

// One line for each place that allocates.
void DeviceHeap::report_leaks() const {
  struct Sum {
    std::size_t blocks = 0, bytes = 0;
  };
  std::map<std::string, Sum> sums;
  for (const auto &[begin, block] : blocks_) {
    if (block.is_free) continue;
    Sum &sum = sums[source_line(block.made_at)];
    ++sum.blocks;
    sum.bytes += block.bytes;
  }
  for (const auto &[line, sum] : sums)
    report("leak", "%s block%s of the kernels' heap (%s bytes) from %s %s never freed",
           with_commas(sum.blocks).c_str(), sum.blocks == 1 ? "" : "s",
           with_commas(sum.bytes).c_str(), line.c_str(), sum.blocks == 1 ? "was" : "were");
}

}  // namespace cuda_on_cpu::check

namespace {

using cuda_on_cpu::kernel_runs;
using cuda_on_cpu::NoKernel;
using cuda_on_cpu::check::site_of;
using cuda_on_cpu::check::state;

std::uint32_t deleting = 0;  // the line of the `delete` that comes next

void *take(std::size_t bytes, const void *caller) {
  const NoKernel checker;
  return state().device_heap.allocate(bytes, site_of(caller));
}

}  // namespace

namespace cuda_on_cpu {

bool check::give_to_device_heap(void *pointer, const void *caller) {
  if (!kernel_runs || !pointer || !state().device_heap.contains(static_cast<char *>(pointer)))
    return false;
  const NoKernel checker;
  return state().device_heap.free(pointer, deleting ? std::exchange(deleting, 0) : site_of(caller));
}

void *heap_malloc(std::size_t bytes) {
  return kernel_runs ? take(bytes, __builtin_return_address(0)) : std::malloc(bytes);
}
void heap_free(void *pointer) {
  if (!check::give_to_device_heap(pointer, __builtin_return_address(0))) std::free(pointer);
}
void heap_delete() { deleting = kernel_runs ? site_of(__builtin_return_address(0)) : 0; }

}  // namespace cuda_on_cpu

void *operator new(std::size_t bytes, cuda_on_cpu::OfHeap) noexcept {
  return kernel_runs ? take(bytes, __builtin_return_address(0)) : ::operator new(bytes);
}
void *operator new[](std::size_t bytes, cuda_on_cpu::OfHeap) noexcept {
  return kernel_runs ? take(bytes, __builtin_return_address(0)) : ::operator new[](bytes);
}
