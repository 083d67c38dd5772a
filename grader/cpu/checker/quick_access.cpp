// The short way, which nearly every access takes: it is plain and aligned, in shared memory, in a
// buffer or on the thread's own stack, and barriers are enough to say that nothing races with it.
// Whatever is not as easy as that goes the long way, check_access(), from its beginning.
#include <algorithm>
#include <bit>
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
  Page &page;
  std::size_t offset;    // in the page
  std::uint32_t oldest;  // records from before this epoch have no meaning any more
};

constexpr unsigned shift_of(std::size_t bytes) { return std::countr_zero(bytes); }

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
    if ((spot.page.state[(spot.offset + i) / 4] & wanted) != wanted) return false;
  return !(writes && spot.page.is_read_only);
}

template <std::size_t bytes>
__attribute__((always_inline)) inline void mark_written(const Spot &spot) {
  for (std::size_t i = 0; i < bytes; i += 4)
    spot.page.state[(spot.offset + i) / 4] |=
        static_cast<WordState>(mask_of<bytes>(spot.offset) << 4);
}

// Threads mostly walk upwards, each alone or one beside the other, so the records ahead will be
// wanted.
__attribute__((always_inline)) inline void fetch_ahead(const Record *record) {
  constexpr std::size_t kAhead = 12;
  __builtin_prefetch(record + kAhead);
}

// `shift`: a cell stands for 1 << shift bytes.
template <std::size_t bytes, bool writes>
__attribute__((always_inline)) inline bool touch_quickly(const Spot &spot, unsigned shift,
                                                         const char *address, const Record &now) {
  Page &page = spot.page;
  const std::size_t kind = Page::kind_stride(shift), unit = std::size_t{1} << shift;
  const Since since{spot.oldest, state().timeline.block_begin(), page.latest_read >= spot.oldest,
                    page.latest_write >= spot.oldest};
  Record *cell = page.records + (spot.offset >> shift);
  fetch_ahead(cell + (writes ? 2 * kind : 0));
  for (std::size_t i = 0; i < bytes; i += unit)
    if (!touch_cell_quickly<writes>(cell++, kind, last_word(address + i, unit), now, since))
      return false;
  (writes ? page.latest_write : page.latest_read) = now.epoch;
  return true;
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

// `any_width`: the page may have several cells for the accessed bytes.
template <std::size_t bytes, bool writes, bool any_width>
__attribute__((always_inline)) inline bool check_quickly(Shadow &shadow, const char *address,
                                                         const void *return_address,
                                                         bool in_buffer) {
  State &known = state();
  const Timeline &timeline = known.timeline;
  const std::size_t offset = shadow.offset_of(address);
  Page *const page = shadow.page_with_cells(offset);
  if (!page || offset % (any_width ? std::min<std::size_t>(bytes, 4) : bytes)) return false;
  const unsigned shift = any_width ? page->shift : shift_of(bytes);
  if (any_width ? offset % kPageBytes + bytes > kPageBytes || shift >= shift_of(bytes)
                : shift != page->shift)
    return false;
  const Spot spot{*page, offset % kPageBytes,
                  in_buffer ? timeline.launch_begin() : timeline.shared_begin()};
  if (!may_use<bytes, writes>(spot)) return false;
  // Both shadows begin at a page: what is aligned in a page is aligned in memory.
  if (any_width && !is_aligned<bytes>(address)) return false;
  if (!writes && in_buffer && holds_shared_address<bytes>(address)) return false;
  const unsigned thread = current_thread();
  const Record now = timeline.now(thread, Strength::plain, site_of(return_address));
  if (!touch_quickly<bytes, writes>(spot, shift, address, now)) return false;
  known.work.note(thread);
  if (in_buffer) known.work.note_in_buffers(bytes);
  if (!writes) return true;
  mark_written<bytes>(spot);
  known.work.note_write(thread, address, bytes);
  return true;
}

// A thread's own variables are nobody else's, so only fences need to be looked at.
template <std::size_t bytes, bool writes>
__attribute__((always_inline)) inline bool check_own_stack_quickly(const char *address) {
  if (has_fences || !is_aligned<bytes>(address) || !on_own_stack(address)) return false;
  WorkShares &work = state().work;
  const unsigned thread = current_thread();
  work.note(thread);
  work.note_own_stack(thread, address);
  return true;
}

template <std::size_t bytes, bool writes>
bool check_narrow_cells(const char *address, const void *return_address) {
  State &known = state();
  const auto check = check_quickly<bytes, writes, true>;
  if (known.shared->contains(address)) return check(*known.shared, address, return_address, false);
  return known.global.contains(address) && check(known.global, address, return_address, true);
}

// Functions of their own: the short way needs few registers, and none of the stack.
template <std::size_t bytes, bool writes>
__attribute__((noinline)) void check_slowly(const char *address, const void *return_address) {
  if (!writes_are_open && (check_narrow_cells<bytes, writes>(address, return_address) ||
                           check_own_stack_quickly<bytes, writes>(address)))
    return;
  check_access({address, bytes, !writes, writes}, return_address);
}
template <std::size_t bytes, bool writes>
__attribute__((noinline)) void check_outside_shared(const char *address,
                                                    const void *return_address) {
  Shadow &global = state().global;
  if (!global.contains(address) ||
      !check_quickly<bytes, writes, false>(global, address, return_address, true))
    check_slowly<bytes, writes>(address, return_address);
}

}  // namespace

template <std::size_t bytes, bool writes>
void check_plain(const char *address, const void *return_address) {
  if (works_for_kernel) return;
  if (writes_are_open) [[unlikely]]
    return check_slowly<bytes, writes>(address, return_address);
  Shadow &shared = *state().shared;
  if (!shared.contains(address))
    return check_outside_shared<bytes, writes>(address, return_address);
  if (!check_quickly<bytes, writes, false>(shared, address, return_address, false))
    check_slowly<bytes, writes>(address, return_address);
}

CUDA_ON_CPU_PLAIN_ACCESSES

}  // namespace cuda_on_cpu::check
