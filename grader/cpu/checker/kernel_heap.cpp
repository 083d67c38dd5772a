// The program's malloc() and related functions, and so `new`. They replace those of the C library,
// and call them to do the work. What the runtime and the checker allocate while a kernel runs is
// listed too, but no kernel has a pointer to it.
#include "kernel_heap.hpp"

#include <new>

#include "cuda_runtime.h"
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

void KernelHeap::add(const char *begin, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  blocks_.insert_or_assign(begin, bytes);
}

void KernelHeap::remove(const char *begin) {
  const std::lock_guard lock(mutex_);
  blocks_.erase(begin);
}

bool KernelHeap::contains(const char *address, std::size_t bytes) const {
  const std::lock_guard lock(mutex_);
  const auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return false;
  const auto &[begin, size] = *std::prev(after);
  const std::size_t offset = address - begin;
  return offset < size && bytes <= size - offset;
}

std::size_t KernelHeap::room_at(const char *begin) const {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(begin);
  return found == blocks_.end() ? ~std::size_t{0} : found->second;
}

namespace {

// A copy from or to a small block is seldom too long, and there are many of them.
constexpr std::size_t kSmallest = 32;

void *listed(void *memory, std::size_t bytes) {
  if (memory && block_progress)
    state().heap.add(static_cast<const char *>(memory), bytes);
  else if (memory && the_state && bytes >= kSmallest)
    state().host_heap.add(static_cast<const char *>(memory), bytes);
  return memory;
}

// Called before the memory is given back, because after that another thread may get the address.
// Before install() there is no list, and no kernel has run.
void unlist(const void *memory) {
  if (!memory || !the_state) return;
  state().heap.remove(static_cast<const char *>(memory));
  state().host_heap.remove(static_cast<const char *>(memory));
}

}  // namespace
}  // namespace cuda_on_cpu::check

using cuda_on_cpu::check::listed;
using cuda_on_cpu::check::unlist;

extern "C" {

void *malloc(std::size_t bytes) noexcept { return listed(__libc_malloc(bytes), bytes); }
void *calloc(std::size_t count, std::size_t bytes) noexcept {
  return listed(__libc_calloc(count, bytes), count * bytes);
}
void *aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return listed(__libc_memalign(alignment, bytes), bytes);
}
void *realloc(void *old, std::size_t bytes) noexcept {
  unlist(old);
  return listed(__libc_realloc(old, bytes), bytes);
}
void free(void *pointer) noexcept {
  unlist(pointer);
  __libc_free(pointer);
}

}  // extern "C"
