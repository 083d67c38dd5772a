// Fibers and their stacks. One pool per worker: a fiber never leaves its operating-system thread.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "cuda_runtime.h"
#include "threads/context.hpp"

namespace cuda_on_cpu {

inline constexpr unsigned kNoThread = ~0u;
inline constexpr long long kNoResult = 0;

struct Fiber {
  Context context;
  // Of the thread that waits on this stack: its place in the order, its number in the block, and
  // threadIdx.
  unsigned position = kNoThread, number = kNoThread;
  uint3 index{};
  const long long *result = &kNoResult;  // of the warp function in which it waits
  char *stack_low = nullptr;  // the guard page ends here
  std::size_t stack_bytes = 0;
  bool used = false;  // since StackPool::wipe()
};

inline constexpr std::size_t kDefaultStackBytes = 64
                                                  << 10;  // printf in a kernel needs about 10 KiB
std::size_t wanted_stack_bytes();                         // cudaDeviceSetLimit or WARPWISE_STACK
void set_wanted_stack_bytes(std::size_t bytes);

class StackPool {
 public:
  StackPool() = default;
  StackPool(const StackPool &) = delete;
  StackPool &operator=(const StackPool &) = delete;
  ~StackPool() { unmap_all(); }

  Fiber *take(void (*entry)());  // a fiber that starts in `entry` when switched to
  void give_back(Fiber *fiber) { free_.push_back(fiber); }
  void reclaim_all();        // frees every fiber, whatever ran on it
  void wipe();  // all stacks are zeros again; only between launches
  bool contains(const char *address) const;
  void adopt(std::size_t stack_bytes);  // from now on at least this size; only between launches

 private:
  void map_slab();
  void wipe(std::span<Fiber> fibers);
  void unmap_all();

  std::size_t stack_bytes_ = wanted_stack_bytes();
  std::vector<std::unique_ptr<Fiber[]>> all_;  // of each slab
  std::vector<Fiber *> free_;
  std::vector<char *> slabs_;
};

}  // namespace cuda_on_cpu
