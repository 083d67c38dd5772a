#include "base/counts.hpp"

#include <sys/mman.h>

#include "base/own_mapping.hpp"
#include "base/own_mutex.hpp"
#include "base/rounding.hpp"
#include "base/statistics.hpp"

namespace cuda_on_cpu {
namespace {

OwnMutex counts_mutex;

// No pointer leads here that host code could bend: the address is part of the runtime's code.
struct alignas(kPage) CountsPage {
  Counts counts;
  bool is_protected;
};
CountsPage page;

void allow(int protection) { mprotect(&page, sizeof page, protection); }

}  // namespace

const Counts &counts() { return page.counts; }
bool counts_are_protected() { return page.is_protected; }

void protect_counts() {
  const std::lock_guard lock(counts_mutex);
  if (page.is_protected) return;
  make_own_mapping(&page, sizeof page);
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

void count_allocation() { ++ChangeCounts()->statistics.allocations; }

}  // namespace cuda_on_cpu
