// Connects the counter to the runtime's hooks before main() starts, and prints at the end.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "../checker/access.hpp"
#include "base/hooks.hpp"
#include "counter.hpp"
#include "device/device_memory.hpp"
#include "threads/shared_arena.hpp"

namespace cuda_on_cpu::count {

Counter *the_counter = nullptr;

namespace {

std::uint64_t volume(const dim3 &extent) { return std::uint64_t{extent.x} * extent.y * extent.z; }

Kernel &kernel_named(const char *name) {
  Kernels &kernels = counter().kernels;
  const auto known = std::find_if(kernels.begin(), kernels.end(),
                                  [name](const Kernel &kernel) { return kernel.name == name; });
  if (known != kernels.end()) return *known;
  kernels.emplace_back().name = name;
  return kernels.back();
}

template <class Action>
void for_each_warp(Action action) {
  for (unsigned warp = 0; warp < counter().warp_count; ++warp) action(counter().warps[warp]);
}

void launch_begin(const char *name, Site, const Configuration &configuration) {
  Kernel &kernel = kernel_named(name);
  counter().kernel = &kernel;
  counter().shared_end = nullptr;
  counter().in_clusters = false;
  const std::uint64_t blocks = volume(configuration.grid);
  const unsigned threads = static_cast<unsigned>(volume(configuration.block));
  ++kernel.launches;
  kernel.blocks += blocks;
  kernel.threads += blocks * threads;
  counter().warp_count = (threads + kLanes - 1) / kLanes;
  for (unsigned warp = 0; warp < counter().warp_count; ++warp) {
    const unsigned lanes = std::min(threads - warp * kLanes, kLanes);
    counter().warps[warp].begin_launch(lanes == kLanes ? ~0u : (1u << lanes) - 1, kernel);
  }
}

void block_begin(unsigned long long, const char *arena, std::size_t dynamic_bytes) {
  for_each_warp([](Warp &warp) { warp.begin_block(); });
  if (counter().in_clusters) return;
  counter().shared_begin = arena;
  counter().shared_end = std::max(counter().shared_end, arena + dynamic_bytes);
}

// What a block does to another one's shared memory counts like its own.
void cluster_begin(const char *shared_of_first, unsigned blocks) {
  counter().in_clusters = true;
  counter().shared_begin = shared_of_first;
  counter().shared_end = shared_of_first + blocks * kSharedWindow;
}

// Each variable is reserved at its first use in a launch.
void shared_reserved(const SharedVariable &variable) {
  if (counter().in_clusters) return;
  counter().shared_end = std::max(counter().shared_end, variable.address + variable.bytes);
}

// Also called when a block waits in grid.sync(): its lanes' paths end there and start again after
// it.
void block_end() {
  for_each_warp([](Warp &warp) { warp.end_block(); });
}

void block_resumed(unsigned long long) {}

void block_synchronised() {
  for_each_warp([](Warp &warp) { warp.settle(); });
  ++counter().kernel->barriers;
}

void warp_synchronised(unsigned warp, unsigned lanes) {
  counter().warps[warp].synchronise_lanes(lanes);
}

void atomic(const void *address, std::size_t bytes, AtomicStep step, const void *return_address) {
  check::check_access(
      {static_cast<const char *>(address), bytes, step.reads, true, check::Strength::atomic},
      return_address);
}

bool asked_for = false;  // by the program: then no table is printed

std::vector<KernelCounters> give_counters() {
  asked_for = true;
  return summary();
}

void reset() {
  counter().warps = {};  // they point to the kernels
  counter().kernels.clear();
}

void report_at_exit() {
  if (!asked_for) report_all();
}

std::size_t copied(void *to, const void *from, std::size_t bytes, const void *) {
  DeviceMemory &device = DeviceMemory::instance();
  if (is_constant(static_cast<const char *>(to)) &&
      (device.contains(from) || device.is_variable(from)))
    counter().constants_are_copies = true;
  return bytes;
}

// A kernel could write to the constant through its address.
void symbol_address(const void *symbol) {
  if (is_constant(static_cast<const char *>(symbol))) counter().constants_are_copies = true;
}

void waits() {
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  counter().warps[thread / kLanes].waits(thread % kLanes);
}

// Only a checker needs these.
void fence(bool) {}
void memory(const void *, std::size_t, MemoryEvent, const void *) {}
void accessible(const void *, std::size_t, bool, const char *) {}

const Hooks table{.launch_begin = launch_begin,
                  .launch_end = block_end,
                  .block_begin = block_begin,
                  .block_end = block_end,
                  .shared_reserved = shared_reserved,
                  .block_synchronised = block_synchronised,
                  .warp_synchronised = warp_synchronised,
                  .atomic = atomic,
                  .fence = fence,
                  .waits = waits,
                  .compared = nullptr,
                  .memory = memory,
                  .copied = copied,
                  .copy_leaves_array = nullptr,
                  .accessible = accessible,
                  .grid_synchronised = nullptr,
                  .block_resumed = block_resumed,
                  .cluster_begin = cluster_begin,
                  .counters = give_counters,
                  .reset_counters = reset,
                  .line_of = nullptr,
                  .fetched = count_fetch,
                  .symbol_address = symbol_address};

// First of all constructors, so that the report comes after the program's destructors.
__attribute__((constructor(101))) void install() {
  the_counter = new Counter;
  set_hooks(&table);
  std::atexit(report_at_exit);
}

}  // namespace
}  // namespace cuda_on_cpu::count

// Every instrumented object file calls this, so the linker includes this file.
extern "C" void __tsan_init() {}
