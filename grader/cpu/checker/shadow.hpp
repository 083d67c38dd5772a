// What is known about each byte and each cell of a range of memory, in pages made when needed.
//
// A cell stands for as many bytes as the first access to its page has, 4 to 16. When another access
// is narrower or not aligned, the page's cells are split, down to one for each byte, so that
// neighbouring chars do not look like one variable.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <vector>

#include "record.hpp"

namespace cuda_on_cpu::check {

inline constexpr std::size_t kPageBytes = 4096;
inline constexpr std::size_t kPageWords = kPageBytes / 4;

// Low four bits: which bytes of the word may be accessed. High four: which were ever written.
using WordState = unsigned char;
inline constexpr WordState kAccessible = 0x0f, kWritten = 0xf0;

inline constexpr unsigned kWordShift = 2, kWidestShift = 4;

struct Page {
  // The cells' first reads, then their second ones, then the three writes: most accesses look at
  // one or two of a cell's five records, and what they do not look at need not be fetched. Null
  // before the first access.
  Record *records = nullptr;
  unsigned shift = kWordShift;  // a cell stands for 1 << shift bytes
  bool is_read_only = false;
  std::uint32_t latest_read = 0, latest_write = 0;  // the epochs of the last accesses

  WordState state[kPageWords]{};

  Page() = default;
  Page(const Page &) = delete;
  Page &operator=(const Page &) = delete;
  ~Page();

  std::size_t cell_count() const { return kPageBytes >> shift; }
  // How far apart two kinds of records are. Not a power of two: the five of a cell should not
  // compete for one place in the processor's cache.
  static constexpr std::size_t kind_stride(unsigned shift) { return (kPageBytes >> shift) + 25; }
  Cell cell(std::size_t number) {
    const auto of = [&](unsigned kind) { return &records[kind * kind_stride(shift) + number]; };
    return {{of(2), of(3), of(4)}, {of(0), of(1)}};
  }
  void need_cells(unsigned wanted_shift);
  void split(unsigned narrower);  // a cell for each 1 << narrower bytes from here on
};

class Shadow {
 public:
  // `fill` sets the state of a page at its first use.
  using Fill = void (*)(const char *page_begin, WordState *state);
  Shadow(const char *base, std::size_t bytes, Fill fill)
      : base_(base),
        bytes_(bytes),
        fill_(fill),
        page_count_((bytes + kPageBytes - 1) / kPageBytes),
        // calloc: the unused parts of a table for 8 GiB cost no memory.
        pages_(static_cast<Page **>(std::calloc(page_count_, sizeof(Page *)))) {}

  ~Shadow();
  Shadow(const Shadow &) = delete;
  Shadow &operator=(const Shadow &) = delete;

  bool contains(const char *address) const {
    return static_cast<std::size_t>(address - base_) < bytes_;
  }
  bool contains(const char *address, std::size_t bytes) const {
    const std::size_t offset = address - base_;
    return offset < bytes_ && bytes <= bytes_ - offset;
  }
  std::size_t offset_of(const char *address) const { return address - base_; }
  Page &page_at(std::size_t offset) {
    Page *page = pages_[offset / kPageBytes];
    return page ? *page : make_page(offset / kPageBytes);
  }

  // Null if the page has no cells, or some for parts of words.
  Page *page_of_words(std::size_t offset) {
    Page *page = page_with_cells(offset);
    if (page && page->shift > kWordShift) page->split(kWordShift);
    return page && page->shift == kWordShift ? page : nullptr;
  }
  Page *page_with_cells(std::size_t offset) {  // null if there are none
    Page *page = pages_[offset / kPageBytes];
    return page && page->records ? page : nullptr;
  }

  void move_to(const char *base) { base_ = base; }  // all that is known goes along

  void mark_written(const char *address, std::size_t bytes) { set(address, bytes, 0, kWritten); }
  void mark_unwritten(const char *address, std::size_t bytes) { set(address, bytes, kWritten, 0); }
  void mark_accessible(const char *address, std::size_t bytes) {
    set(address, bytes, 0, kAccessible);
  }
  void mark_closed(const char *address, std::size_t bytes) { set(address, bytes, kAccessible, 0); }
  void refill(const char *address, std::size_t bytes);  // asks `fill` again, for existing pages
  void forget(const char *address, std::size_t bytes);  // unwritten, where pages exist
  void reset();
  void set_read_only(const char *address, std::size_t bytes, bool read_only);  // whole pages
  bool is_read_only(const char *address) const {
    const Page *page = pages_[offset_of(address) / kPageBytes];
    return page && page->is_read_only;
  }

  template <class Visit>
  void for_each_page(Visit visit) {  // visit(first byte, page), of those that exist
    for (const std::size_t index : made_) visit(base_ + index * kPageBytes, *pages_[index]);
  }

 private:
  Page &make_page(std::size_t index);
  void set(const char *address, std::size_t bytes, WordState remove, WordState add);

  const char *base_;
  std::size_t bytes_;
  Fill fill_;
  std::size_t page_count_;
  Page **pages_;
  std::vector<std::size_t> made_;
};

}  // namespace cuda_on_cpu::check
