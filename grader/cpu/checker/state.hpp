// Everything the checker knows, in one place. One kernel runs at a time, on one operating-system
// thread, so the parts need no locks.
#pragma once

#include <cstdint>
#include <vector>

#include "device_heap.hpp"
#include "freed_blocks.hpp"
#include "host_shadows.hpp"
#include "kernel_heap.hpp"
#include "locks.hpp"
#include "places.hpp"
#include "promises.hpp"
#include "shadow.hpp"
#include "timeline.hpp"
#include "variables.hpp"
#include "work.hpp"

namespace cuda_on_cpu::check {

struct LaunchedGrid {
  const char *kernel;
  dim3 grid, block;
};

// Whose blocks run now, if the launch has clusters, and where the first one's shared memory begins.
struct Cluster {
  const char *first = nullptr;
  unsigned blocks = 0;
  std::uint32_t begun = 0, left = 0;  // a bit for each block
};

struct State {
  State();
  const char *kernel = "";
  std::vector<LaunchedGrid> grids;  // the host's launch, and the grids that it has led to
  Timeline timeline;
  Promises promises;
  Buffers buffers;
  SharedMemory shared_memory;
  Variables known_variables = read_variables();
  KernelHeap heap, host_heap;
  FreedBlocks freed_blocks;
  Locks locks;
  DeviceHeap device_heap;  // of programs; workers take device memory
  WorkShares work;
  Shadow global;     // the memory that cudaMalloc returns
  HostShadows host_shared;  // pinned and managed memory
  Shadow variables;  // __device__ variables: the program's .data and .bss
  Shadow *shared = nullptr;
  const char *shared_arena = nullptr;
  Cluster cluster;
};

extern State *the_state;  // null before make_state()
// Its address is part of the code: a pointer would be loaded at every access.
union StateRoom {
  constexpr StateRoom() : empty() {}
  ~StateRoom() {}
  char empty;
  State state;
};
extern constinit StateRoom state_room;
inline State &state() { return state_room.state; }
void make_state();

// The running thread's number in its block.
inline unsigned current_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

}  // namespace cuda_on_cpu::check
