// What a submission's worker on a GPU has taken of the device and not given back. A worker of the
// kit's own is not linked with it: these functions are weak there, and have to be asked for.
#pragma once

#include <cstdint>

namespace warpwise {

struct LiveMemory {
  std::uint64_t buffers = 0;   // device memory and CUDA arrays that were allocated and not freed
  std::uint64_t textures = 0;  // texture objects that were made and not destroyed
  // Bytes that no call has to allocate: device variables, and a heap of kernels that was made
  // larger.
  std::uint64_t room = 0;
  std::uint64_t allocations = 0;  // of all buffers, also of those that were freed
};

[[gnu::weak]] LiveMemory live_memory();
/// Whether nodes of graphs hold memory, which is in no count of ours. Makes the device ready: to
/// ask after a call only.
[[gnu::weak]] bool graphs_hold_memory();

}  // namespace warpwise
