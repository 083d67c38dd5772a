#include "copies.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "asynchrony.hpp"
#include "device/device_memory.hpp"
#include "device/order.hpp"
#include "report.hpp"
#include "source_line.hpp"
#include "state.hpp"

namespace cuda_on_cpu::check {

namespace {

// Bytes of the host that came from device memory which nobody had written.
struct Unwritten {
  const char *end;
  const char *from;
  std::uint32_t site;  // of the copy
};
std::map<const char *, Unwritten> unwritten_on_host;  // by their beginning

void forget_on_host(const char *begin, const char *end) {
  auto one = unwritten_on_host.upper_bound(begin);
  if (one != unwritten_on_host.begin()) --one;
  while (one != unwritten_on_host.end() && one->first < end) {
    const auto [first, known] = *one;
    if (known.end <= begin) {
      ++one;
      continue;
    }
    one = unwritten_on_host.erase(one);
    if (first < begin) unwritten_on_host[first] = {begin, known.from, known.site};
    if (end < known.end)
      unwritten_on_host[end] = {known.end, known.from + (end - first), known.site};
  }
  watch_unwritten(!unwritten_on_host.empty());
}

// Calls `visit(begin, end)` for each stretch of device memory that nobody wrote.
template <class Visit>
void for_each_unwritten(const char *from, std::size_t bytes, Visit visit) {
  Shadow &global = state().global;
  const char *begin = nullptr;
  for (std::size_t i = 0; i < bytes; ++i) {
    const std::size_t offset = global.offset_of(from + i);
    const WordState word = global.page_at(offset).state[offset % kPageBytes / 4];
    const bool is_word = offset % 4 == 0 && bytes - i >= 4;
    const bool is_written = is_word ? (word & kWritten) == kWritten : word >> (4 + offset % 4) & 1;
    const bool is_partly = is_word && !is_written && (word & kWritten);
    if (!is_written && !begin && !is_partly) begin = from + i;
    if ((is_written || is_partly) && begin) visit(begin, from + i), begin = nullptr;
    if (is_word) i += 3;
  }
  if (begin) visit(begin, from + bytes);
}

void note_copy_to_host(char *to, const char *from, std::size_t bytes, std::uint32_t site) {
  for_each_unwritten(from, bytes, [&](const char *begin, const char *end) {
    unwritten_on_host[to + (begin - from)] = {to + (end - from), begin, site};
  });
  watch_unwritten(!unwritten_on_host.empty());
}

void note_copy_between(const char *to, const char *from, std::size_t bytes) {
  state().global.mark_written(to, bytes);
  if (to < from + bytes && from < to + bytes) return;  // they overlap: nothing is known any more
  for_each_unwritten(from, bytes, [&](const char *begin, const char *end) {
    state().global.mark_unwritten(to + (begin - from), static_cast<std::size_t>(end - begin));
  });
}

// The tables of virtual functions that the host's objects point to count as unwritten in their
// copies.
void note_copy_of_objects(const char *to, const char *from, std::size_t bytes) {
  if (state().known_variables.virtual_tables.empty() ||
      reinterpret_cast<std::uintptr_t>(to) % sizeof(void *))
    return;
  for (std::size_t i = 0; i + sizeof(void *) <= bytes; i += sizeof(void *))
    if (holds_virtual_table(from + i)) state().global.mark_unwritten(to + i, sizeof(void *));
}

// A stack that has been left and used again is no copy any more; nor is what a library overwrote.
bool is_still_there(const char *begin, const Unwritten &known) {
  const char *frame = static_cast<const char *>(__builtin_frame_address(0));
  const bool on_old_stack = begin < frame && frame - begin < (1 << 20);
  const bool is_random = order_settings().order == Order::random;  // then there are small numbers
  return !on_old_stack && std::all_of(begin, known.end, [&](unsigned char byte) {
    return byte == kUninitialised || (is_random && byte < 4);
  });
}

}  // namespace

bool holds_virtual_table(const char *address) {
  const char *word;
  std::memcpy(&word, address, sizeof word);
  return state().known_variables.has_virtual_table(word);
}

// Whether a row of the target is also one of the source, or a part of one.
void note_rows(const void *to, const void *from, std::size_t pitch, std::size_t width,
               std::size_t rows, const void *caller) {
  const std::ptrdiff_t distance = static_cast<const char *>(to) - static_cast<const char *>(from);
  const auto step = static_cast<std::ptrdiff_t>(pitch), wide = static_cast<std::ptrdiff_t>(width);
  if (step == 0) return;
  for (std::ptrdiff_t row = distance / step - 1; row <= distance / step + 1; ++row)
    if (const auto apart = std::abs(distance - row * step);
        row != 0 && std::abs(row) < static_cast<std::ptrdiff_t>(rows) && apart < wide)
      return report_copy_overlaps((rows - static_cast<std::size_t>(std::abs(row))) *
                                      static_cast<std::size_t>(wide - apart),
                                  site_of(caller));
}

std::size_t note_copy(void *to, const void *from, std::size_t bytes, const void *caller) {
  State &known = state();
  const std::uint32_t site = caller ? site_of(caller) : 0;
  char *target = static_cast<char *>(to);
  const char *source = static_cast<const char *>(from);
  const bool to_device = known.global.contains(target);
  const bool from_device = known.global.contains(source);
  if (known.device_heap.contains(target) || known.device_heap.contains(source))
    report_copy_of_heap(site);
  for (const char *side : {static_cast<const char *>(target), source})
    if (const std::size_t room = known.host_heap.room_at(side); room < bytes) {
      report_copy_outside(side == target, side, room, bytes, site);
      bytes = room;  // more would damage the host's heap
    }
  for (const char *side : {static_cast<const char *>(target), source})
    if (const std::uint32_t *freed = known.freed_blocks.freed_at(side); freed && bytes) {
      report_copy_of_freed(side == target, *freed, site);
      if (side == target) return 0;  // what is there now would be damaged
    }
  if (target != source && target < source + bytes && source < target + bytes)
    report_copy_overlaps(bytes - static_cast<std::size_t>(std::abs(target - source)), site);
  note_copied_ranges(target, source, bytes, site);
  if (to_device && known.global.is_read_only(target)) report_constant_filled(target, bytes, site);
  if (!to_device) forget_on_host(target, target + bytes);
  if (known.known_variables.is_constant(target) &&
      (from_device || known.variables.contains(source)))
    known.work.note_copy_to_constants();
  if (to_device && from_device)
    note_copy_between(target, source, bytes);
  else if (to_device) {
    known.global.mark_written(target, bytes);
    note_copy_of_objects(target, source, bytes);
  } else if (from_device)
    note_copy_to_host(target, source, bytes, site);
  return bytes;
}

void check_unwritten(const Access &access, const void *return_address) {
  auto one = unwritten_on_host.upper_bound(access.address);
  if (one == unwritten_on_host.begin()) return;
  --one;
  const auto [begin, known] = *one;
  if (access.address >= known.end) return;
  if (access.reads && !access.whole_object && is_still_there(begin, known))
    report_host_read(known.from + (access.address - begin), access.bytes, known.site,
                     site_of(return_address));
  forget_on_host(access.address, access.address + access.bytes);
}

}  // namespace cuda_on_cpu::check
