// Host memory through which a loan is written and read back.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

#include "lent_memory.hpp"
#include "protocol.hpp"

namespace warpwise {

/// Whole pages that nobody clears; they only grow. Large ones are pinned for the device, which
/// costs about as much as one copy.
class Staging {
 public:
  explicit Staging(bool for_device) : for_device_(for_device) {}

  /// What was in it is lost. `bytes` is a multiple of kImageAlignment: whole pages.
  void make_room(std::size_t bytes) {
    if (bytes <= bytes_) return;
    constexpr std::size_t kWorthPinning = std::size_t{16} << 20;
    pinned_.reset();
    pages_.reset();  // first, so that the two are not there at once
    bytes_ = 0;
    pages_.reset(static_cast<std::byte*>(std::aligned_alloc(kImageAlignment, bytes)));
    if (!pages_) throw std::bad_alloc();
    bytes_ = bytes;
    if (for_device_ && bytes >= kWorthPinning) pinned_ = pin(first(bytes));
  }
  std::byte* data() { return pages_.get(); }
  std::span<std::byte> first(std::size_t bytes) { return {pages_.get(), bytes}; }
  std::span<const std::byte> part(std::size_t offset, std::size_t bytes) const {
    return {pages_.get() + offset, bytes};
  }

 private:
  struct Free {
    void operator()(std::byte* pages) const { std::free(pages); }
  };
  bool for_device_;
  std::size_t bytes_ = 0;
  std::unique_ptr<std::byte, Free> pages_;
  std::shared_ptr<void> pinned_;  // ends before the pages do
};

}  // namespace warpwise
