#include "freed_blocks.hpp"

#include <unistd.h>

#include <iterator>
#include <mutex>

extern "C" char end;  // of the program's variables: its heap begins somewhere after it

namespace cuda_on_cpu::check {
namespace {

// Other memory goes back to the system, and may be anything afterwards.
bool is_of_malloc_alone(const char *address) {
  return address > &end && address < static_cast<const char *>(sbrk(0));
}

}  // namespace

void FreedBlocks::add(const char *begin, std::size_t bytes, std::uint32_t site) {
  if (!is_of_malloc_alone(begin)) return;
  const std::lock_guard lock(mutex_);
  blocks_.insert_or_assign(begin, Block{bytes, site});
}

void FreedBlocks::take_out(const char *begin, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  auto one = blocks_.lower_bound(begin);
  if (one != blocks_.begin() && std::prev(one)->first + std::prev(one)->second.bytes > begin) --one;
  while (one != blocks_.end() && one->first < begin + bytes) one = blocks_.erase(one);
}

const std::uint32_t *FreedBlocks::freed_at(const char *address) const {
  const std::lock_guard lock(mutex_);
  const auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return nullptr;
  const auto &[begin, block] = *std::prev(after);
  return address < begin + block.bytes ? &block.site : nullptr;
}

}  // namespace cuda_on_cpu::check
