// Assigns an access that the compiler announces to a lane of a warp. The announcing functions are
// the checker's; this library defines the function that they call.
#include "../checker/access.hpp"

#include <algorithm>

#include "../checker/source_line.hpp"
#include "base/hooks.hpp"
#include "counter.hpp"
#include "device/device_memory.hpp"
#include "threads/own_stack.hpp"

extern "C" {
extern char __executable_start, __data_start;
[[gnu::weak, gnu::visibility("hidden")]] extern char warpwise_first_constant;
[[gnu::weak, gnu::visibility("hidden")]] extern char warpwise_last_constant;
// How types are aligned that are larger than 16 bytes; the linker begins and ends it.
struct AlignmentOfSize {
  std::uint64_t bytes, alignment;
};
[[gnu::weak, gnu::visibility("hidden")]] extern const AlignmentOfSize __start_warpwise_alignments[];
[[gnu::weak, gnu::visibility("hidden")]] extern const AlignmentOfSize __stop_warpwise_alignments[];
}

namespace cuda_on_cpu::count {

bool is_constant(const char *address) {
  return &warpwise_first_constant && address >= &warpwise_first_constant &&
         address < &warpwise_last_constant;
}

namespace {

bool is_shared(const char *address) {
  return address >= counter().shared_begin && address < counter().shared_end;
}

// cudaMalloc's memory, __device__ variables, what the host shares with the device, and the kernels'
// heap. A thread's stack is local memory, with the kernel's parameters; constants are the
// program's, and a table of a worker's constants goes through a cache of its own.
bool is_global(const char *address) {
  if (is_constant(address)) return counter().constants_are_copies;
  if (DeviceMemory::instance().contains(address)) return true;
  const bool is_constant = address >= &__executable_start && address < &__data_start;
  return !is_constant && !on_own_stack(address);
}

// What the compiler's driver has found out of a type's alignment (compiler/alignments.py). A
// program of several sources has several lists: the least counts.
std::size_t alignment_of(std::size_t bytes, std::size_t known) {
  if (bytes <= known) return known;
  for (auto *entry = __start_warpwise_alignments; entry < __stop_warpwise_alignments; ++entry)
    if (entry->bytes == bytes) known = std::min<std::size_t>(known, entry->alignment);
  return known;
}

// A GPU moves a copied struct in pieces of at most 16 bytes, and of its type's alignment.
unsigned piece_bytes(const check::Access &access) {
  auto piece = static_cast<unsigned>(alignment_of(access.bytes, access.alignment));
  while (access.bytes % piece) piece /= 2;
  return piece;
}

void count_in(Space space, const check::Access &access, Direction direction,
              const void *return_address) {
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned bytes = piece_bytes(access);
  const Instruction instruction{check::site_of(return_address), space, direction};
  Warp &warp = counter().warps[thread / kLanes];
  for (unsigned piece = 0; piece * bytes < access.bytes; ++piece) {
    const auto address = reinterpret_cast<std::uint64_t>(access.address) + piece * bytes;
    warp.add(thread % kLanes, {address, bytes, piece, instruction});
  }
}

void count_access(const check::Access &access, Direction direction, const void *return_address) {
  if (access.writes && is_constant(access.address)) counter().constants_are_copies = true;
  if (is_shared(access.address))
    count_in(Space::shared, access, direction, return_address);
  else if (is_global(access.address))
    count_in(Space::global, access, direction, return_address);
}

}  // namespace

void count_fetch(const void *texel, std::size_t bytes, const void *return_address) {
  count_in(Space::texture, {static_cast<const char *>(texel), bytes, true, false}, Direction::load,
           return_address);
}

}  // namespace cuda_on_cpu::count

namespace cuda_on_cpu::check {

bool watches_host = false;
void check_host_access(const Access &, const void *) {}

void check_access(const Access &access, const void *return_address) {
  if (works_for_kernel) return;
  using count::Direction;
  const Direction plain = access.writes ? Direction::store : Direction::load;
  const bool atomic = access.strength == Strength::atomic;
  count::count_access(access, atomic ? Direction::atomic : plain, return_address);
}

template <std::size_t bytes, bool writes>
void check_plain(const char *address, const void *return_address) {
  check_access({address, bytes, !writes, writes}, return_address);
}
CUDA_ON_CPU_PLAIN_ACCESSES

}  // namespace cuda_on_cpu::check
