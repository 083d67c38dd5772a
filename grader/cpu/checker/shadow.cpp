#include "shadow.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "messages/diagnostics.hpp"

namespace cuda_on_cpu::check {

namespace {

constexpr std::size_t kRecords = 5;  // of a cell

// The records of pages, in memory that the system gives as zeros: what no access looks at is never
// touched.
class Room {
 public:
  Record *take(unsigned shift) {
    if (Unused *again = unused_[shift]) {
      unused_[shift] = again->next;
      return static_cast<Record *>(std::memset(again, 0, bytes_of(shift)));
    }
    if (left_ < bytes_of(shift)) open();
    left_ -= bytes_of(shift);
    return reinterpret_cast<Record *>(std::exchange(next_, next_ + bytes_of(shift)));
  }
  void give(Record *records, unsigned shift) {
    if (records) unused_[shift] = new (records) Unused{unused_[shift]};
  }

 private:
  struct Unused {
    Unused *next;
  };
  static constexpr std::size_t kBytes = std::size_t{4} << 20;
  static std::size_t bytes_of(unsigned shift) {
    return kRecords * Page::kind_stride(shift) * sizeof(Record);
  }
  void open() {
    void *memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) die("check", "no memory for what check mode remembers");
    next_ = static_cast<char *>(memory);
    left_ = kBytes;
  }
  char *next_ = nullptr;
  std::size_t left_ = 0;
  Unused *unused_[kWidestShift + 1]{};
};
Room room;

}  // namespace

void Page::need_cells(unsigned wanted_shift) {
  if (records) return;
  shift = wanted_shift;
  records = room.take(shift);
}

void Page::split(unsigned narrower) {
  Record *const old = records;
  const std::size_t old_stride = kind_stride(shift);
  const unsigned before = shift, less = shift - narrower;
  records = nullptr;
  need_cells(narrower);
  for (std::size_t kind = 0; kind < kRecords; ++kind)
    for (std::size_t i = 0; i < cell_count(); ++i)
      records[kind * kind_stride(shift) + i] = old[kind * old_stride + (i >> less)];
  room.give(old, before);
}

Page::~Page() { room.give(records, shift); }

Page &Shadow::make_page(std::size_t index) {
  pages_[index] = new Page{};
  made_.push_back(index);
  fill_(base_ + index * kPageBytes, pages_[index]->state);
  return *pages_[index];
}

Shadow::~Shadow() {
  for (const std::size_t index : made_) delete pages_[index];
  std::free(pages_);
}

void Shadow::refill(const char *address, std::size_t bytes) {
  const std::size_t first = offset_of(address) / kPageBytes;
  const std::size_t last = (offset_of(address) + bytes + kPageBytes - 1) / kPageBytes;
  for (std::size_t i = first; i < std::min(last, page_count_); ++i)
    if (pages_[i]) fill_(base_ + i * kPageBytes, pages_[i]->state);
}

void Shadow::forget(const char *address, std::size_t bytes) {
  const std::size_t end = offset_of(address) + bytes;
  for (std::size_t at = offset_of(address); at < end; at = (at / kPageBytes + 1) * kPageBytes)
    if (pages_[at / kPageBytes])
      mark_unwritten(base_ + at, std::min(end - at, kPageBytes - at % kPageBytes));
}

void Shadow::reset() {
  for (std::size_t i = 0; i < page_count_; ++i)
    if (pages_[i]) std::memset(pages_[i]->state, 0, sizeof pages_[i]->state);
}

void Shadow::set_read_only(const char *address, std::size_t bytes, bool read_only) {
  const std::size_t first = offset_of(address) / kPageBytes;
  const std::size_t behind = (offset_of(address) + bytes + kPageBytes - 1) / kPageBytes;
  for (std::size_t i = first; i < std::min(behind, page_count_); ++i)
    if (read_only)
      page_at(i * kPageBytes).is_read_only = true;
    else if (pages_[i])
      pages_[i]->is_read_only = false;
}

// Whole words in the middle, single bytes at both ends.
void Shadow::set(const char *address, std::size_t bytes, WordState remove, WordState add) {
  std::size_t at = offset_of(address);
  for (const std::size_t end = at + bytes; at < end;) {
    WordState &state = page_at(at).state[at % kPageBytes / 4];
    const std::size_t in_word = at % 4, count = std::min(4 - in_word, end - at);
    const auto mask = static_cast<WordState>(((1u << count) - 1) << in_word);
    const auto both = static_cast<WordState>(mask | mask << 4);
    state = static_cast<WordState>((state & ~(remove & both)) | (add & both));
    at += count;
  }
}

}  // namespace cuda_on_cpu::check
