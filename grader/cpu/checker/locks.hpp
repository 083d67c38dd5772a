// Threads that wait for a lock which nobody gives back: two that took two locks in opposite orders,
// or one that has forgotten to. Threads take turns here. So where one has tried for long, and no
// atomic or volatile variable has changed meanwhile, all others wait, too, or have ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "cuda_runtime.h"
#include "kernel_heap.hpp"

namespace cuda_on_cpu::check {

class Locks {
 public:
  void begin_launch();
  // An atomic that may change what is at `address`; it takes a lock only if it swaps.
  void acts(const char *address, std::size_t bytes, std::uint32_t site, bool swaps);
  void changes() { ++changes_; }  // by a volatile write
  void loads() { act_.address = nullptr; }
  // The atomic at `address` has changed nothing. Whether its thread has tried for too long.
  bool has_failed_for_long(const char *address);
  // Who waits for what, in one sentence; empty if it is not known who has the lock.
  std::string sentence() const;

 private:
  using Key = std::uint64_t;  // of a block and a thread: their numbers
  struct Act {
    Key key = 0;
    const char *address = nullptr;
    std::size_t bytes = 0;
    std::uint32_t site = 0;
    bool swaps = false;
    uint3 block{}, thread{};
  };
  struct Waiter {
    Act attempt;
    std::uint64_t changes;
    unsigned failures;
  };
  static std::string name(const Act &act);
  const Waiter *waiter(Key key) const;

  std::uint64_t changes_ = 0;
  Act act_;                                 // the last one
  Act had_before_;                          // the lock that it would have taken
  UnlistedMap<const char *, Act> holders_;  // who has swapped last
  UnlistedMap<Key, Waiter> waiters_;
};

}  // namespace cuda_on_cpu::check
