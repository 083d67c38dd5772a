// Memory that a graph allocates for itself. Its address is known when the node is made, and stays
// the node's; it is memory only from the launch that allocates it to what frees it: a node of this
// or another graph, or the program. What was in it is gone then. After the last graph with the
// node, what nobody has freed remains, as memory of cudaMalloc.
#pragma once

#include <cstddef>
#include <memory>

#include "cuda_runtime.h"

namespace cuda_on_cpu {

class GraphMemory {
 public:
  // Null when the device is full.
  static std::shared_ptr<GraphMemory> reserve(std::size_t bytes);
  // The one whose address it is, if its node still exists.
  static std::shared_ptr<GraphMemory> at(const void *address);
  GraphMemory(const GraphMemory &) = delete;
  GraphMemory &operator=(const GraphMemory &) = delete;
  ~GraphMemory();

  void *address() const { return address_; }
  std::size_t bytes() const { return bytes_; }
  bool is_live() const { return live_; }
  cudaError_t allocate(const void *caller);  // an error if it is live
  bool free();                               // false if it is not live

 private:
  friend void forget_graph_memory();
  GraphMemory(void *address, std::size_t bytes) : address_(address), bytes_(bytes) {}

  void *const address_;
  const std::size_t bytes_;
  bool live_ = false, given_up_ = false;  // given up: cudaDeviceReset() has taken it
  bool is_counted_ = true;                // as an allocation, before its first launch
};

// An address of what is not memory yet, or no longer.
bool is_only_reserved(const void *address);
void forget_graph_memory();  // cudaDeviceReset() takes all that is live

}  // namespace cuda_on_cpu
