// Blocks of the host's heap that the program has freed, until malloc() gives their bytes to
// somebody else: a copy from or to one of them uses a pointer too late.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "base/own_mutex.hpp"
#include "kernel_heap.hpp"

namespace cuda_on_cpu::check {

class FreedBlocks {
 public:
  void add(const char *begin, std::size_t bytes, std::uint32_t site);
  void take_out(const char *begin, std::size_t bytes);
  // Where the block was freed that has this byte; null if none has.
  const std::uint32_t *freed_at(const char *address) const;

 private:
  struct Block {
    std::size_t bytes;
    std::uint32_t site;
  };
  mutable OwnMutex mutex_;  // the host frees from any of its threads
  std::map<const char *, Block, std::less<>, Unlisted<std::pair<const char *const, Block>>> blocks_;
};

}  // namespace cuda_on_cpu::check
