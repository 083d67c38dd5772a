#include "access.hpp"

#include <algorithm>

#include "block.hpp"
#include "device_memory.hpp"
#include "equal_writes.hpp"
#include "report.hpp"
#include "source_line.hpp"
#include "state.hpp"

extern "C" char __executable_start, __data_start;

namespace cuda_on_cpu::check {
namespace {

unsigned current_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

Verb verb_of(const Record &record, bool wrote) {
  if (record.strength() == Strength::atomic) return Verb::updates;
  return wrote ? Verb::writes : Verb::reads;
}

// Two atomics never race. A volatile flag may be read while somebody writes it, but two who write
// it (`++*flag`) lose one of the writes.
bool may_collide(const Record &a, const Record &b, bool both_write) {
  if (a.strength() == Strength::plain || b.strength() == Strength::plain) return false;
  return !both_write || a.strength() == Strength::atomic || b.strength() == Strength::atomic;
}

// A cell's memory, and the access that touches it now.
struct Touch {
  const char *address;
  std::size_t bytes;
  Record now;
  bool writes;
  std::uint32_t oldest;  // records from before this epoch mean nothing any more
};

void meet(const Record &earlier, bool earlier_wrote, const Touch &touch) {
  const Timeline &timeline = state().timeline;
  if (!timeline.unordered(earlier, touch.now) ||
      may_collide(earlier, touch.now, earlier_wrote && touch.writes))
    return;
  const Race race{touch.address,
                  touch.bytes,
                  earlier,
                  touch.now,
                  verb_of(earlier, earlier_wrote),
                  verb_of(touch.now, touch.writes)};
  const bool atomic = race.earlier_verb == Verb::updates || race.verb == Verb::updates;
  if (earlier_wrote && touch.writes && !atomic)
    decide_when_written(race);
  else
    report_race(race);
}

// See Cell for why the kept records are enough. A weaker record must not give way to a stronger
// one: atomics of others race with a plain write, but not with an atomic.
template <std::size_t count>
void remember(Record (&kept)[count], const Touch &touch) {
  const Record &now = touch.now;
  for (Record &old : kept) {
    const bool replaceable = old.epoch < touch.oldest || (old.strength() >= now.strength() &&
                                                          !state().timeline.unordered(old, now));
    if (replaceable) {
      old = now;
      return;
    }
  }
  const Record &before = kept[count - 2];
  if (before.epoch == kept[count - 1].epoch && before.same_warp(kept[count - 1]))
    kept[count - 1] = now;
}

void touch_cell(Cell &cell, const Touch &touch) {
  Record &last = touch.writes ? cell.writes[0] : cell.reads[0];
  if (last.same_moment(touch.now)) {  // nobody else has run since
    last.site = touch.now.site;
    return;
  }
  for (const Record &write : cell.writes)
    if (write.epoch >= touch.oldest) meet(write, true, touch);
  if (!touch.writes) return remember(cell.reads, touch);
  for (const Record &read : cell.reads)
    if (read.epoch >= touch.oldest) meet(read, false, touch);
  remember(cell.writes, touch);
}

void touch_word(Page &page, std::size_t offset, std::size_t bytes, const Touch &touch) {
  if (bytes < 4 && !page.by_byte) page.split();
  page.need_cells();
  if (!page.by_byte) return touch_cell(page.word_cell(offset / 4), touch);
  for (std::size_t i = 0; i < bytes; ++i)
    touch_cell(page.byte_cell(offset + i),
               {touch.address + i, 1, touch.now, touch.writes, touch.oldest});
}

void check_in(Shadow &shadow, const Access &access, std::uint32_t site) {
  const Timeline &timeline = state().timeline;
  const bool is_shared = &shadow == state().shared;
  const Strength strength = is_shared && access.strength == Strength::is_volatile
                                ? Strength::plain  // volatile orders no lanes of a warp
                                : access.strength;
  const Record now = timeline.now(current_thread(), strength, site);
  const std::uint32_t oldest = is_shared ? timeline.block_begin() : timeline.launch_begin();
  std::size_t unwritten = 0;
  for (std::size_t done = 0; done < access.bytes;) {
    const std::size_t offset = shadow.offset_of(access.address + done) % kPageBytes;
    const std::size_t bytes = std::min(4 - offset % 4, access.bytes - done);
    Page &page = shadow.page_at(shadow.offset_of(access.address + done));
    WordState &word = page.state[offset / 4];
    const auto mask = static_cast<WordState>(((1u << bytes) - 1) << offset % 4);
    if ((word & mask) != mask) return report_outside(access, site);
    if (access.reads && (word >> 4 & mask) != mask) unwritten += bytes;
    if (access.writes) word |= static_cast<WordState>(mask << 4);
    touch_word(page, offset, bytes, {access.address + done, bytes, now, access.writes, oldest});
    done += bytes;
  }
  if (unwritten && !(access.whole_object && unwritten < access.bytes))
    note_uninitialised(access, site);
}

IndexVariables find_index_variables() {
  const auto *origin = reinterpret_cast<const char *>(&threadIdx);
  std::ptrdiff_t first = 0, end = sizeof threadIdx;
  const auto include = [&](const auto &variable) {
    const std::ptrdiff_t at = reinterpret_cast<const char *>(&variable) - origin;
    first = std::min(first, at);
    end = std::max<std::ptrdiff_t>(end, at + sizeof variable);
  };
  include(blockIdx);
  include(blockDim);
  include(gridDim);
  return {first, static_cast<std::size_t>(end - first)};
}

// Above the frame of a function that a thread has called lie the thread's own variables.
bool on_own_stack(const char *address) {
  const char *frame = static_cast<const char *>(__builtin_frame_address(0));
  return static_cast<std::size_t>(address - frame) < wanted_stack_bytes();
}

bool is_constant(const Access &access) {
  return !access.writes && access.address >= &__executable_start && access.address < &__data_start;
}

// Pinned and managed memory belong to both sides; what happens there is not checked.
bool is_shared_with_host(const char *address) {
  cudaPointerAttributes attributes{};
  cudaPointerGetAttributes(&attributes, address);
  return attributes.type == cudaMemoryTypeHost || attributes.type == cudaMemoryTypeManaged;
}

// The store that follows would damage the host or fault: the launch ends here, as on a GPU.
[[noreturn]] void end_launch() {
  Block &block = current_block();
  block.first_failure();
  block.fail(cudaErrorIllegalAddress);
}

void check_global(const Access &access, std::uint32_t site) {
  check_in(state().global, access, site);
  if (!DeviceMemory::instance().maps(access.address)) end_launch();
}

void check_elsewhere(const Access &access, std::uint32_t site) {
  constexpr std::ptrdiff_t kNear = std::ptrdiff_t{256} << 20;
  if (is_constant(access) || is_shared_with_host(access.address)) return;
  const std::ptrdiff_t before = DeviceMemory::instance().base() - access.address;
  if (before > 0 && before < kNear && access.address)
    report_outside(access, site);
  else
    report_host_memory(access, site);
  end_launch();
}

}  // namespace

const IndexVariables index_variables = find_index_variables();

void check_access(const Access &access, const void *return_address) {
  settle_equal_writes();
  State &known = state();
  const std::uint32_t site = site_of(return_address);
  if (known.global.contains(access.address)) return check_global(access, site);
  if (known.shared->contains(access.address)) return check_in(*known.shared, access, site);
  if (on_own_stack(access.address)) return;
  if (known.variables.contains(access.address)) return check_in(known.variables, access, site);
  check_elsewhere(access, site);
}

}  // namespace cuda_on_cpu::check
