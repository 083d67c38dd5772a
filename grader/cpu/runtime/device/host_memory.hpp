// Memory that both sides may use: pinned host memory and managed memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cuda_runtime.h"

namespace cuda_on_cpu {

cudaError_t allocate_host(void **pointer, std::size_t bytes, cudaMemoryType type,
                          const void *caller);
bool release_host(void *pointer, cudaMemoryType type);  // false when it is not such a buffer
cudaMemoryType host_type_of(const void *pointer);       // unregistered when it is in no buffer

struct HostSpan {
  const char *begin = nullptr;  // null if there is none
  std::size_t bytes = 0;
  cudaMemoryType type = cudaMemoryTypeUnregistered;
  std::string name = {};  // of the variable that holds the pointer, if that is known
  bool registered = false;  // the program's own, by cudaHostRegister
  const void *made_by = nullptr;  // the call

  bool contains(const void *address) const { return address >= begin && address < begin + bytes; }
};
HostSpan nearest_host_buffer(const void *address);  // at most a page away
HostSpan freed_host_buffer(const void *address);    // that held it, and was freed last

// What the program got and has not freed, in the order of its calls; cudaDeviceReset frees it all.
std::vector<HostSpan> host_buffers_left();
void forget_host_buffers_left();

// The __managed__ variables of a program that is no worker.
std::span<const char> managed_variables();

// While a kernel runs: what it changes in pinned and managed memory counts as copied to the host.
class KernelWrites {
 public:
  KernelWrites();
  ~KernelWrites();
  KernelWrites(const KernelWrites &) = delete;
  KernelWrites &operator=(const KernelWrites &) = delete;
};

}  // namespace cuda_on_cpu
