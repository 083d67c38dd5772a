#include "threads/stack_pool.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "base/rounding.hpp"
#include "messages/diagnostics.hpp"

namespace cuda_on_cpu {
namespace {

constexpr std::size_t kStacksPerSlab = 64;
constexpr std::size_t kGuardedStacks = 8192;
constexpr std::ptrdiff_t kPagesToClear = 3;  // of a stack: most threads use one or two

// All stacks begin at a page boundary, so without a shift their hot ends would compete for the same
// few sets of the first-level cache. 64 lines of 64 bytes spread them over a whole page.
constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kColours = 64;

std::atomic<std::size_t> &wanted() {
  static std::atomic<std::size_t> bytes{[] {
    const char *text = std::getenv("WARPWISE_STACK");
    const long value = text ? std::atol(text) : 0;
    const bool larger = value > static_cast<long>(kDefaultStackBytes);
    return round_up(larger ? value : kDefaultStackBytes, kPage);
  }()};
  return bytes;
}

}  // namespace

std::size_t wanted_stack_bytes() { return wanted(); }

void set_wanted_stack_bytes(std::size_t bytes) {
  wanted() = round_up(bytes > kDefaultStackBytes ? bytes : kDefaultStackBytes, kPage);
}

Fiber *StackPool::take(void (*entry)()) {
  if (free_.empty()) map_slab();
  Fiber *fiber = free_.back();
  free_.pop_back();
  fiber->index = {};
  fiber->position = kNoThread;
  fiber->result = &kNoResult;
  fiber->used = true;
  prepare_context(fiber->context, fiber->stack_low, fiber->stack_bytes, entry);
  return fiber;
}

void StackPool::map_slab() {
  const std::size_t stride = stack_bytes_ + kPage;
  void *memory = mmap(nullptr, kStacksPerSlab * stride, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    die("memory", "no memory for %zu stacks of %zu bytes", kStacksPerSlab, stack_bytes_);
  char *slab = static_cast<char *>(memory);
  slabs_.push_back(slab);
  const std::size_t before = all_.size() * kStacksPerSlab;
  Fiber *fibers = all_.emplace_back(new Fiber[kStacksPerSlab]).get();
  for (std::size_t i = kStacksPerSlab; i-- > 0;) {  // the first stack of the slab is taken first
    char *low = slab + i * stride;
    // A guard page costs two mappings per stack, and Linux gives a process 65530. Grids that wait
    // in grid.sync() can have more stacks than that. Stacks without a guard page do not notice an
    // overflow, but kernels run.
    if (before < kGuardedStacks) mprotect(low, kPage, PROT_NONE);
    fibers[i].stack_low = low + kPage;
    fibers[i].stack_bytes = stack_bytes_ - kCacheLine * (i % kColours);
    free_.push_back(&fibers[i]);
  }
}

// To close the stacks instead takes two system calls for each, to drop their pages costs page
// faults. Grids that wait in grid.sync() spent most of their time there. So the few pages that are
// in use are cleared.
void StackPool::wipe() {
  for (const auto &fibers : all_)
    for (Fiber *first = fibers.get(), *end = first + kStacksPerSlab; first != end;) {
      first = std::find_if(first, end, std::mem_fn(&Fiber::used));
      Fiber *const last = std::find_if_not(first, end, std::mem_fn(&Fiber::used));
      if (first != last) wipe({first, last});
      first = last;
    }
}

// Stacks that were used, side by side.
void StackPool::wipe(std::span<Fiber> fibers) {
  char *const low = fibers.front().stack_low;
  const std::size_t pages = (fibers.size() * (stack_bytes_ + kPage) - kPage) / kPage;
  std::vector<unsigned char> in_use(pages);
  for (Fiber &fiber : fibers) fiber.used = false;
  const bool is_known = mincore(low, pages * kPage, in_use.data()) == 0;
  const auto count = std::ranges::count_if(in_use, [](unsigned char page) { return page & 1; });
  if (!is_known || count > kPagesToClear * std::ssize(fibers)) {
    madvise(low, pages * kPage, MADV_DONTNEED);
    return;
  }
  for (std::size_t page = 0; page < pages; ++page)
    if (in_use[page] & 1) std::memset(low + page * kPage, 0, kPage);
}

bool StackPool::contains(const char *address) const {
  const std::size_t bytes = kStacksPerSlab * (stack_bytes_ + kPage);
  return std::any_of(slabs_.begin(), slabs_.end(), [&](const char *slab) {
    return address >= slab && address < slab + bytes;
  });
}

void StackPool::reclaim_all() {
  free_.clear();
  for (std::size_t slab = all_.size(); slab-- > 0;)
    for (std::size_t i = kStacksPerSlab; i-- > 0;) free_.push_back(&all_[slab][i]);
}

void StackPool::adopt(std::size_t stack_bytes) {
  if (stack_bytes <= stack_bytes_) return;
  unmap_all();
  stack_bytes_ = round_up(stack_bytes, kPage);
}

void StackPool::unmap_all() {
  for (char *slab : slabs_) munmap(slab, kStacksPerSlab * (stack_bytes_ + kPage));
  slabs_.clear();
  all_.clear();
  free_.clear();
}

}  // namespace cuda_on_cpu
