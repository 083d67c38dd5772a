#include "shadow.hpp"

#include <algorithm>
#include <cstring>

namespace cuda_on_cpu::check {

void Page::split() {
  auto bytes = std::make_unique<Cell[]>(kPageBytes);
  if (cells)
    for (std::size_t i = 0; i < kPageBytes; ++i) bytes[i] = cells[i / 4];
  cells = std::move(bytes);
  by_byte = true;
}

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
