// The program's malloc() and `new`, with what belongs to them. They replace those of the library,
// and call them to do the work. What the runtime and the checker allocate while a kernel runs is
// listed too, but no kernel has a pointer to it.
//
// In a worker the code of a submission is in a place of its own. What it allocates in a kernel is
// device memory there: closed to host code, and never freed if the kernel does not free it.
#include "kernel_heap.hpp"

#include <malloc.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <new>

#include "asynchrony.hpp"
#include "base/hooks.hpp"
#include "base/kernel_runs.hpp"
#include "base/submission_code.hpp"
#include "cuda_runtime.h"
#include "device/device_memory.hpp"
#include "device/host_memory.hpp"
#include "report.hpp"
#include "source_line.hpp"
#include "state.hpp"

extern "C" {
void *__libc_malloc(std::size_t bytes);
void *__libc_calloc(std::size_t count, std::size_t bytes);
void *__libc_realloc(void *pointer, std::size_t bytes);
void *__libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void *pointer);
}

namespace cuda_on_cpu::check {

void *take_from_library(std::size_t bytes) {
  if (void *memory = __libc_malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void give_to_library(void *pointer) { __libc_free(pointer); }

void KernelHeap::add(const char *begin, std::size_t bytes, std::uint32_t site) {
  const std::lock_guard lock(mutex_);
  has_listed_ = true;
  blocks_.insert_or_assign(begin, Block{bytes, site});
}

std::size_t KernelHeap::remove(const char *begin) {
  if (!has_listed_) return 0;  // most programs take nothing in kernels, but all free on the host
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(begin);
  if (found == blocks_.end()) return 0;
  const std::size_t bytes = found->second.bytes;
  blocks_.erase(found);
  return bytes;
}

std::optional<HeapBlock> KernelHeap::block_before(const char *address) const {
  const std::lock_guard lock(mutex_);
  const auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return {};
  const auto &[begin, block] = *std::prev(after);
  return HeapBlock{begin, block.bytes, block.site};
}

std::optional<HeapBlock> KernelHeap::block_at(const char *address) const {
  const auto block = block_before(address);
  return block && address < block->begin + block->bytes ? block : std::nullopt;
}

bool KernelHeap::contains(const char *address, std::size_t bytes) const {
  const std::size_t room = room_at(address);
  return room != kUnknown && bytes <= room;
}

std::size_t KernelHeap::room_at(const char *address) const {
  const auto block = block_at(address);
  return block ? block->begin + block->bytes - address : kUnknown;
}

std::size_t KernelHeap::bytes_past_end(const char *address) const {
  const auto block = block_before(address);
  if (!block || address < block->begin + block->bytes) return kUnknown;
  return address - block->begin - block->bytes;
}

namespace {

// A copy from or to a small block is seldom too long, and there are many of them.
constexpr std::size_t kSmallest = 32;

void *listed(void *memory, std::size_t bytes, const void *caller) {
  if (memory && the_state) state().freed_blocks.take_out(static_cast<const char *>(memory), bytes);
  if (memory && kernel_runs)
    state().heap.add(static_cast<const char *>(memory), bytes);
  else if (memory && the_state && bytes >= kSmallest)
    state().host_heap.add(static_cast<const char *>(memory), bytes, site_of(caller));
  return memory;
}

// Called before the memory is given back, because after that another thread may get the address.
// Before install() there is no list, and no kernel has run.
void unlist(const void *memory, const void *caller) {
  if (!memory || !the_state) return;
  const char *begin = static_cast<const char *>(memory);
  state().heap.remove(begin);
  if (const std::size_t bytes = state().host_heap.remove(begin))
    state().freed_blocks.add(begin, bytes, site_of(caller));
}

// A submission may have its own operator new, which calls malloc() for whoever asks: for the
// checker, and for the lists of device memory, which have a lock.
void *allocate_for(const void *caller, std::size_t bytes) {
  if (!kernel_runs || works_for_kernel || !is_of_submission(caller))
    return listed(__libc_malloc(bytes), bytes, caller);
  const WorkForKernel work;
  bytes = std::max<std::size_t>(bytes, 1);
  void *memory = DeviceMemory::instance().allocate(bytes);
  if (memory) hooks->memory(memory, bytes, MemoryEvent::allocated, nullptr);
  return memory;
}

void *require(void *memory) {
  if (!memory) throw std::bad_alloc();
  return memory;
}

// The runtime forgets its pinned and managed memory before it frees it.
bool is_of_cuda(void *pointer, const void *caller) {
  static thread_local bool inside = false;
  if (!pointer || !the_state || inside || kernel_runs || state().host_shared.empty()) return false;
  inside = true;
  const bool begins = state().host_shared.begins_at(static_cast<char *>(pointer));
  const bool is_ours = begins && !nearest_host_buffer(pointer).registered;
  if (begins && !is_ours) {
    report_free_of_registered(static_cast<char *>(pointer), site_of(caller));
    state().host_shared.remove(static_cast<char *>(pointer));  // its address may be used again
  }
  if (is_ours) report_free_of_cuda(static_cast<char *>(pointer), site_of(caller));
  inside = false;
  return is_ours;
}

// False: it is not memory that allocate_for() took from the device.
bool release_of_kernel(void *pointer) {
  if (!kernel_runs || !state().global.contains(static_cast<char *>(pointer))) return false;
  const WorkForKernel work;
  if (DeviceMemory::instance().release(pointer))
    hooks->memory(pointer, 0, MemoryEvent::freed, nullptr);
  return true;
}

void release(void *pointer, const void *caller) {
  if (is_of_cuda(pointer, caller)) return;
  if (give_to_device_heap(pointer, caller)) return;
  if (release_of_kernel(pointer)) return;
  if (pointer && the_state) note_host_free(pointer, malloc_usable_size(pointer), caller);
  unlist(pointer, caller);
  __libc_free(pointer);
}

}  // namespace
}  // namespace cuda_on_cpu::check

using cuda_on_cpu::check::allocate_for;
using cuda_on_cpu::check::listed;
using cuda_on_cpu::check::release;
using cuda_on_cpu::check::unlist;

#define CALLER __builtin_return_address(0)

extern "C" {

void *malloc(std::size_t bytes) noexcept { return allocate_for(CALLER, bytes); }
void *calloc(std::size_t count, std::size_t bytes) noexcept {
  return listed(__libc_calloc(count, bytes), count * bytes, CALLER);
}
void *aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return listed(__libc_memalign(alignment, bytes), bytes, CALLER);
}
void *memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return listed(__libc_memalign(alignment, bytes), bytes, CALLER);
}
void *realloc(void *old, std::size_t bytes) noexcept {
  unlist(old, CALLER);
  return listed(__libc_realloc(old, bytes), bytes, CALLER);
}
int posix_memalign(void **memory, std::size_t alignment, std::size_t bytes) noexcept {
  if (alignment % sizeof(void *) || !std::has_single_bit(alignment)) return EINVAL;
  void *taken = listed(__libc_memalign(alignment, bytes), bytes, CALLER);
  if (!taken) return ENOMEM;
  *memory = taken;
  return 0;
}
void free(void *pointer) noexcept { release(pointer, CALLER); }

}  // extern "C"

// Weak: a program may have its own.
[[gnu::weak]] void *operator new(std::size_t bytes) {
  return cuda_on_cpu::check::require(allocate_for(CALLER, bytes));
}
[[gnu::weak]] void *operator new[](std::size_t bytes) {
  return cuda_on_cpu::check::require(allocate_for(CALLER, bytes));
}
[[gnu::weak]] void operator delete(void *block) noexcept {
  release(block, CALLER);
}
[[gnu::weak]] void operator delete(void *block, std::size_t) noexcept {
  release(block, CALLER);
}
[[gnu::weak]] void operator delete[](void *block) noexcept {
  release(block, CALLER);
}
[[gnu::weak]] void operator delete[](void *block, std::size_t) noexcept {
  release(block, CALLER);
}
