// The heap of kernels: blocks of malloc() and `new` in device memory, each with its own bounds, and
// freed ones. A freed block is not used again soon, so that a late access is seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>

#include "access.hpp"
#include "places.hpp"
#include "record.hpp"

namespace cuda_on_cpu::check {

class DeviceHeap {
 public:
  void *allocate(std::size_t bytes, std::uint32_t site);  // null: the heap is full
  bool free(void *pointer, std::uint32_t site);           // false: it is not of this heap
  bool contains(const char *address) const { return area_of(address) != nullptr; }
  // An access to a block that a thread has freed meanwhile, and nothing orders the two.
  bool report_race_with_free(const Access &access, std::uint32_t site) const;
  bool is_free_site(std::uint32_t site) const { return free_sites_.contains(site); }
  Place place(const char *address, std::size_t bytes) const;
  void report_leaks() const;

 private:
  struct Block {
    std::size_t bytes;
    std::uint32_t made_at, freed_at = 0;
    Record freed{};
    bool is_free = false;
  };
  using Blocks = std::map<const char *, Block>;
  const std::pair<const char *const, std::size_t> *area_of(const char *address) const;
  Blocks::const_iterator nearest(const char *address) const;
  char *take(std::size_t bytes);
  char *take_old(std::size_t bytes);

  Blocks blocks_;
  std::map<const char *, std::size_t> areas_;
  std::map<std::size_t, std::deque<const char *>> old_;  // freed blocks by size
  std::set<std::uint32_t> free_sites_;
  char *next_ = nullptr, *end_ = nullptr;  // room of the last area
  std::size_t used_ = 0, old_bytes_ = 0;
};

}  // namespace cuda_on_cpu::check
