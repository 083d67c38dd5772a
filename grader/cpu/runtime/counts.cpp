#include "counts.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <mutex>

#include "rounding.hpp"

namespace cuda_on_cpu {
namespace {

std::mutex counts_mutex;

// No pointer leads here that host code could bend: the address is part of the runtime's code.
struct alignas(kPage) CountsPage {
  Counts counts;
  bool is_protected;
};
CountsPage page;

void allow(int protection) { mprotect(&page, sizeof page, protection); }

}  // namespace

std::size_t AddressRanges::add(const void *from, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(from), last = first + bytes;
  Range joined{first, last};
  Range *const end = ranges_ + size_;
  Range *const begin = std::lower_bound(
      ranges_, end, first, [](const Range &range, std::uintptr_t at) { return range.end < at; });
  std::size_t known = 0;
  Range *behind = begin;
  for (; behind != end && behind->begin <= last; ++behind) {  // ranges that touch are joined
    const std::uintptr_t low = std::max(behind->begin, first), high = std::min(behind->end, last);
    if (low < high) known += high - low;
    joined = {std::min(joined.begin, behind->begin), std::max(joined.end, behind->end)};
  }
  if (begin != behind) {
    *begin = joined;
    std::copy(behind, end, begin + 1);
    size_ -= static_cast<std::size_t>(behind - begin) - 1;
  } else if (size_ < std::size(ranges_)) {
    std::copy_backward(begin, end, end + 1);
    *begin = joined;
    ++size_;
  }
  return bytes - known;
}

const Counts &counts() { return page.counts; }
bool counts_are_protected() { return page.is_protected; }

void protect_counts() {
  const std::lock_guard lock(counts_mutex);
  allow(PROT_READ | PROT_WRITE);
  page.is_protected = true;
  allow(PROT_READ);
}

ChangeCounts::ChangeCounts() {
  counts_mutex.lock();
  if (page.is_protected) allow(PROT_READ | PROT_WRITE);
}
ChangeCounts::~ChangeCounts() {
  if (page.is_protected) allow(PROT_READ);
  counts_mutex.unlock();
}
Counts *ChangeCounts::operator->() const { return &page.counts; }

}  // namespace cuda_on_cpu
