// What a GPU's kernels take when they are launched, as it travels from the worker to the judge. For
// people to look at: the worker says it, so no points hang on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "message.hpp"

namespace warpwise {

/// A kernel as it was launched in the last run. The same kernel launched in another shape (threads
/// of a block, dynamic shared memory) is another entry; `grid` is the largest of its launches.
struct KernelResources {
  std::string kernel;                  // the symbol, mangled
  std::uint64_t launches = 0;          // by this many calls of the runtime
  std::uint64_t grid = 0, block = 0;   // blocks, threads of a block
  std::uint64_t registers = 0;         // of a thread
  std::uint64_t static_shared = 0, dynamic_shared = 0;  // bytes of a block
  std::uint64_t local = 0;             // bytes of a thread: spilled registers and local arrays
  std::uint64_t resident_threads = 0, most_threads = 0;  // of a multiprocessor
};

inline void put_resources(MessageWriter& message, const std::vector<KernelResources>& kernels) {
  message.put<std::uint32_t>(kernels.size());
  for (const KernelResources& kernel : kernels) {
    message.put_text(kernel.kernel).put(kernel.launches).put(kernel.grid).put(kernel.block);
    message.put(kernel.registers).put(kernel.static_shared).put(kernel.dynamic_shared);
    message.put(kernel.local).put(kernel.resident_threads).put(kernel.most_threads);
  }
}

inline std::vector<KernelResources> get_resources(MessageReader& message) {
  std::vector<KernelResources> kernels;
  for (auto left = message.get<std::uint32_t>(); left > 0; --left) {
    KernelResources kernel;
    kernel.kernel = message.get_text();
    for (std::uint64_t* number :
         {&kernel.launches, &kernel.grid, &kernel.block, &kernel.registers, &kernel.static_shared,
          &kernel.dynamic_shared, &kernel.local, &kernel.resident_threads, &kernel.most_threads})
      *number = message.get<std::uint64_t>();
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace warpwise
