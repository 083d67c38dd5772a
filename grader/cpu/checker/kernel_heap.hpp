// Blocks of malloc() and `new`. What kernels took from malloc() and `new` and have not freed. On a
// GPU that is device memory. Here it comes from the host's heap, so the two differ only in who
// asked for the memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/own_mutex.hpp"

namespace cuda_on_cpu::check {

// The C library's malloc() itself: the list of blocks must not list its own nodes.
void *take_from_library(std::size_t bytes);
void give_to_library(void *pointer);
// False: the pointer is not of the kernels' heap, or no kernel runs.
bool give_to_device_heap(void *pointer, const void *caller);

template <class T>
struct Unlisted {
  using value_type = T;
  Unlisted() = default;
  template <class U>
  Unlisted(const Unlisted<U> &) {}
  T *allocate(std::size_t count) { return static_cast<T *>(take_from_library(count * sizeof(T))); }
  void deallocate(T *pointer, std::size_t) { give_to_library(pointer); }
  bool operator==(const Unlisted &) const { return true; }
};

template <class Key, class Value>
using UnlistedMap = std::unordered_map<Key, Value, std::hash<Key>, std::equal_to<>,
                                       Unlisted<std::pair<const Key, Value>>>;

struct HeapBlock {
  const char *begin;
  std::size_t bytes;
  std::uint32_t site;  // of the call that allocated it, see source_line.hpp; or 0
};

class KernelHeap {
 public:
  void add(const char *begin, std::size_t bytes, std::uint32_t site = 0);
  // Returns how many bytes it had. Also called for host memory, which may reuse the addresses.
  std::size_t remove(const char *begin);
  bool contains(const char *address, std::size_t bytes) const;
  // The block that begins there or last before; it may end before the address.
  std::optional<HeapBlock> block_before(const char *address) const;
  // The block that has this byte.
  std::optional<HeapBlock> block_at(const char *address) const;
  static constexpr std::size_t kUnknown = ~std::size_t{0};
  // How many bytes of its block follow; kUnknown if it is in no block.
  std::size_t room_at(const char *address) const;
  // How many bytes after the end of the block before it; kUnknown if it is in one.
  std::size_t bytes_past_end(const char *address) const;

 private:
  struct Block {
    std::size_t bytes;
    std::uint32_t site;
  };
  using Blocks = std::map<const char *, Block, std::less<>,
                          Unlisted<std::pair<const char *const, Block>>>;
  mutable OwnMutex mutex_;  // the host frees from any of its threads
  Blocks blocks_;
  std::atomic<bool> has_listed_ = false;
};

}  // namespace cuda_on_cpu::check
