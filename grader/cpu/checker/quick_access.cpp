// The short way, which nearly every access takes: it is plain and aligned, in shared memory, in a
// buffer or on the thread's own stack, and barriers are enough to say that nothing races with it.
// Whatever is not as easy as that goes the long way, check_access(), from its beginning.
#include <algorithm>
#include <cstring>

#include "access.hpp"
#include "base/hooks.hpp"
#include "bounds.hpp"
#include "cells.hpp"
#include "equal_writes.hpp"
#include "source_line.hpp"
#include "state.hpp"
#include "threads/block.hpp"
#include "threads/own_stack.hpp"

namespace cuda_on_cpu::check {
namespace {

// Where the accessed bytes are: in a page of shared memory, or of a buffer.
struct Spot {
  Page *page = nullptr;
  std::size_t offset = 0;    // in the page
  std::uint32_t oldest = 0;  // records from before this epoch have no meaning any more
  bool in_buffer = false;
};

template <std::size_t bytes>
__attribute__((always_inline)) inline Spot find_spot(const char *address) {
  State &known = state();
  Shadow *shadow = known.shared;
  const bool in_buffer = !shadow->contains(address);
  if (in_buffer) {
    if (!known.global.contains(address)) return {};
    shadow = &known.global;
  }
  const std::size_t offset = shadow->offset_of(address), in_page = offset % kPageBytes;
  if (in_page % std::min<std::size_t>(bytes, 4) || in_page + bytes > kPageBytes) return {};
  const Timeline &timeline = known.timeline;
  return {shadow->page_with_cells(offset), in_page,
          in_buffer ? timeline.launch_begin() : timeline.block_begin(), in_buffer};
}

// Of a word: those bits of its state that an access needs, or that it sets.
template <std::size_t bytes>
constexpr WordState mask_of(std::size_t offset) {
  return bytes >= 4 ? kAccessible
                    : static_cast<WordState>(((1u << bytes) - 1) << offset % 4);
}

// May the bytes be used, and are they written, if they are read?
template <std::size_t bytes, bool writes>
__attribute__((always_inline)) inline bool may_use(const Spot &spot) {
  const WordState mask = mask_of<bytes>(spot.offset), wanted = writes ? mask : mask | mask << 4;
  for (std::size_t i = 0; i < bytes; i += 4)
    if ((spot.page->state[(spot.offset + i) / 4] & wanted) != wanted) return false;
  return !(writes && spot.page->is_read_only);
}

template <std::size_t count, std::size_t step, bool writes>
__attribute__((always_inline)) inline bool touch_cells(Cell *cells, const char *address,
                                                       const Record &now, std::uint32_t oldest) {
  const std::uint32_t block_begin = state().timeline.block_begin();
  for (std::size_t i = 0; i < count; ++i)
    if (!touch_cell_quickly<writes>(cells[i], address + i * step, now, oldest, block_begin))
      return false;
  return true;
}

// On a page with a cell for each byte. A function of its own: few programs have such pages.
template <std::size_t bytes, bool writes>
__attribute__((noinline)) bool touch_bytes(Cell *cells, const char *address, Record now,
                                           std::uint32_t oldest) {
  return touch_cells<bytes, 1, writes>(cells, address, now, oldest);
}

template <std::size_t bytes, bool writes>
__attribute__((always_inline)) inline bool touch_quickly(const Spot &spot, const char *address,
                                                         const Record &now) {
  Cell *cells = spot.page->cells.get();
  if (spot.page->by_byte) [[unlikely]]
    return touch_bytes<bytes, writes>(cells + spot.offset, address, now, spot.oldest);
  if constexpr (bytes < 4)
    return false;
  else
    return touch_cells<bytes / 4, 4, writes>(cells + spot.offset / 4, address, now, spot.oldest);
}

// A cell is a whole line of the processor's cache. Threads mostly walk upwards, each alone or one
// beside the other, so the lines ahead will be wanted.
__attribute__((always_inline)) inline void fetch_ahead(const Spot &spot) {
  constexpr std::size_t kAhead = 8;
  const std::size_t cell = spot.page->by_byte ? spot.offset : spot.offset / 4;
  const auto first = reinterpret_cast<std::uintptr_t>(spot.page->cells.get());
  __builtin_prefetch(reinterpret_cast<const void *>(first + (cell + kAhead) * sizeof(Cell)));
}

template <std::size_t bytes>
bool is_aligned(const char *address) {
  return reinterpret_cast<std::uintptr_t>(address) % std::min<std::size_t>(bytes, 8) == 0;
}

// It may belong to another block, which takes longer to say.
template <std::size_t bytes>
bool holds_shared_address(const char *address) {
  const char *value = nullptr;
  if (bytes == sizeof value) std::memcpy(&value, address, sizeof value);
  return value && state().shared->contains(value);
}

template <std::size_t bytes, bool writes>
__attribute__((always_inline)) inline bool check_quickly(const char *address,
                                                         const void *return_address) {
  const Spot spot = find_spot<bytes>(address);
  if (!spot.page || !is_aligned<bytes>(address) || !may_use<bytes, writes>(spot)) return false;
  if (!writes && spot.in_buffer && holds_shared_address<bytes>(address)) return false;
  State &known = state();
  if (spot.in_buffer) fetch_ahead(spot);
  const unsigned thread = current_thread();
  const Record now = known.timeline.now(thread, Strength::plain, site_of(return_address));
  spot.page->latest = now.epoch;
  if (!touch_quickly<bytes, writes>(spot, address, now)) return false;
  known.work.note(thread);
  if (spot.in_buffer) known.work.note_in_buffers(bytes);
  if (!writes) return true;
  for (std::size_t i = 0; i < bytes; i += 4)
    spot.page->state[(spot.offset + i) / 4] |=
        static_cast<WordState>(mask_of<bytes>(spot.offset) << 4);
  known.work.note_write();
  return true;
}

// A thread's own variables are nobody else's, so only fences need to be looked at.
template <std::size_t bytes, bool writes>
__attribute__((always_inline)) inline bool check_own_stack_quickly(const char *address) {
  if (has_fences || !is_aligned<bytes>(address) || !on_own_stack(address)) return false;
  WorkShares &work = state().work;
  work.note(current_thread());
  if (writes) work.note_write();
  work.note_own_stack(writes);
  return true;
}

template <std::size_t bytes, bool writes>
__attribute__((noinline)) void check_slowly(const char *address, const void *return_address) {
  check_access({address, bytes, !writes, writes}, return_address);
}

}  // namespace

template <std::size_t bytes, bool writes>
void check_plain(const char *address, const void *return_address) {
  if (works_for_kernel) return;
  if (!writes_are_open && check_quickly<bytes, writes>(address, return_address)) [[likely]]
    return;
  if (writes_are_open || !check_own_stack_quickly<bytes, writes>(address))
    check_slowly<bytes, writes>(address, return_address);
}

CUDA_ON_CPU_PLAIN_ACCESSES

}  // namespace cuda_on_cpu::check
