#include "access.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "base/hooks.hpp"
#include "bounds.hpp"
#include "cells.hpp"
#include "device/device_memory.hpp"
#include "device/host_memory.hpp"
#include "equal_writes.hpp"
#include "report.hpp"
#include "source_line.hpp"
#include "state.hpp"
#include "threads/block.hpp"
#include "threads/own_stack.hpp"

extern "C" char __executable_start, __data_start;

namespace cuda_on_cpu::check {
namespace {

// A volatile write after a fence is a flag. Without a fence it belongs to code that trusts in the
// lanes of a warp running in step, and volatile does not order those.
Strength strength_in_shared(const Access &access) {
  const bool is_flag = access.reads || state().timeline.has_fence(current_thread());
  return access.strength == Strength::is_volatile && !is_flag ? Strength::plain : access.strength;
}

Width width_of(const Access &access) {
  if (access.strength < Strength::atomic_in_block) return Width::unknown;
  return access.bytes == 4 ? Width::four : access.bytes == 8 ? Width::eight : Width::unknown;
}

// Programs poll volatile flags, and publish data by a fence and a write to the flag.
void exchange_flag(const Access &access) {
  Timeline &timeline = state().timeline;
  if (access.reads) {
    timeline.acquire(current_thread(), access.address);
    state().work.see(current_thread(), access.address);
    if (work_tells) learn_from_work(access.address, access.bytes);
  }
  if (access.writes &&
      timeline.release(current_thread(), access.address, access.bytes, Strength::is_volatile))
    state().work.publish(current_thread(), access.address);
  if (access.writes) state().locks.changes();
}

bool is_read_only(Shadow &shadow, const char *address) {
  if (&shadow == &state().variables) return state().known_variables.is_constant(address);
  return shadow.page_at(shadow.offset_of(address)).is_read_only;
}

// Of a pointer to shared memory: a block keeps its own over grid.sync(), after which nobody knows
// who wrote.
bool may_be_of_this_block(const Record &write) {
  const Timeline &timeline = state().timeline;
  return timeline.of_this_block(write) ||
         (write.epoch >= timeline.grid_begin() && write.epoch < timeline.launch_begin());
}

// A word that holds an address in shared memory: only this block can have made a pointer to what is
// there now. A cell that is full may have forgotten who wrote. Blocks of a cluster may give each
// other such pointers.
bool is_shared_of_another(Shadow &shadow, const Access &access) {
  if (state().cluster.blocks) return false;
  const char *value;
  std::memcpy(&value, access.address, sizeof value);
  if (!state().shared->contains(value)) return false;
  Page *page = shadow.page_of_words(shadow.offset_of(access.address));
  if (!page) return false;
  const auto writes = page->cell(shadow.offset_of(access.address) % kPageBytes / 4).writes;
  return writes[2]->epoch < state().timeline.launch_begin() &&
         std::none_of(writes.begin(), writes.end(),
                      [](const Record *write) { return may_be_of_this_block(*write); });
}

bool is_accessible(const Page &page, std::size_t offset, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += 4)
    if ((page.state[(offset + i) / 4] & kAccessible) != kAccessible) return false;
  return true;
}

// How many of the bytes from `offset` on to look at together: a whole cell of several words, or
// what is in one word. Makes the page's cells, as wide as fits, and splits those that do not fit.
std::size_t step_in(Page &page, std::size_t offset, std::size_t bytes) {
  const auto fits = [&](unsigned shift) {
    const std::size_t unit = std::size_t{1} << shift;
    return offset % unit == 0 && bytes >= unit && is_accessible(page, offset, unit);
  };
  unsigned widest = page.records ? page.shift : kWidestShift;
  while (widest > kWordShift && !fits(widest)) --widest;
  const std::size_t in_word = std::min(4 - offset % 4, bytes);
  if (in_word < 4) widest = 0;
  page.need_cells(widest);
  if (page.shift > widest) page.split(widest);
  return page.shift > kWordShift ? std::size_t{1} << page.shift : in_word;
}

// False: the access is outside of everything that may be used.
bool check_in(Shadow &shadow, const Access &access, std::uint32_t site) {
  const Timeline &timeline = state().timeline;
  const bool is_shared = &shadow == state().shared;
  const Strength strength = is_shared ? strength_in_shared(access) : access.strength;
  const Record now = timeline.now(current_thread(), strength, site, width_of(access));
  if (!is_shared && strength != Strength::plain) state().promises.note(access, now);
  if (strength == Strength::is_volatile) exchange_flag(access);
  const std::uint32_t oldest = is_shared ? timeline.shared_begin() : timeline.launch_begin();
  std::size_t unwritten = 0;
  if (access.writes && is_read_only(shadow, access.address)) report_constant_written(access, site);
  for (std::size_t done = 0; done < access.bytes;) {
    const std::size_t offset = shadow.offset_of(access.address + done) % kPageBytes;
    Page &page = shadow.page_at(shadow.offset_of(access.address + done));
    const std::size_t bytes = step_in(page, offset, access.bytes - done);
    for (std::size_t i = 0; i < bytes; i += 4) {
      WordState &word = page.state[(offset + i) / 4];
      const std::size_t in_word = std::min<std::size_t>(bytes - i, 4);
      const auto mask = static_cast<WordState>(((1u << in_word) - 1) << offset % 4);
      if ((word & mask) != mask) {
        report_outside(access, site);
        return false;
      }
      if (access.reads && (word >> 4 & mask) != mask) unwritten += in_word;
      if (access.writes) word |= static_cast<WordState>(mask << 4);
    }
    touch_cells(page, offset, {access.address + done, bytes, now, access.writes, oldest});
    done += bytes;
  }
  if (unwritten && !(access.whole_object && unwritten < access.bytes))
    note_uninitialised(access, site);
  else if (access.reads && access.bytes == sizeof(void *) && !is_shared &&
           is_shared_of_another(shadow, access))
    report_shared_of_another(access, site);
  return true;
}

// All variables that kernels have touched count together. One that many accesses touch is looked up
// once.
void note_variable(const char *address) {
  static const Variable *last = nullptr;
  static std::set<const Variable *> touched;
  static std::size_t bytes = 0;
  State &known = state();
  if (!last || address < last->begin || address >= last->begin + last->bytes) {
    last = known.known_variables.nearest(address);
    if (last && touched.insert(last).second) bytes += last->bytes;
  }
  known.work.note_variables(bytes);
}

bool is_constant(const Access &access) {
  return !access.writes && access.address >= &__executable_start && access.address < &__data_start;
}

// The store that follows would damage the host or fault, so the launch ends here, as on a GPU.
[[noreturn]] void end_launch() {
  Block &block = current_block();
  block.first_failure();
  block.fail(cudaErrorIllegalAddress);
}

void check_global(const Access &access, std::uint32_t site) {
  if (state().device_heap.report_race_with_free(access, site)) return;
  state().work.note_in_buffers(access.bytes);
  if (!check_in(state().global, access, site) && !DeviceMemory::instance().maps(access.address))
    end_launch();
}

void check_elsewhere(const Access &access, std::uint32_t site) {
  constexpr std::ptrdiff_t kNear = std::ptrdiff_t{256} << 20;
  if (is_constant(access)) return;
  if (Shadow *shadow = state().host_shared.find(access.address);
      shadow && shadow->contains(access.address, access.bytes)) {
    check_in(*shadow, access, site);
    return;
  }
  if (host_type_of(access.address) != cudaMemoryTypeUnregistered) return;  // variables of a worker
  if (state().heap.contains(access.address, access.bytes)) return state().work.note_own_memory();
  if (current_block().has_shared_memory_at(access.address))
    return report_shared_of_earlier_launch(access, site);
  const std::ptrdiff_t before = DeviceMemory::instance().base() - access.address;
  if (current_block().owns_stack(access.address))
    report_local_of_another(access, site);
  else if (before > 0 && before < kNear && access.address)
    report_outside(access, site);
  else
    report_host_memory(access, site);
  end_launch();
}

// Compilers treat a float4 as two halves of eight bytes, so more than that is not sure.
bool is_misaligned(const Access &access) {
  constexpr std::size_t kWidest = 8;
  const std::size_t unit = access.bytes < kWidest ? access.bytes & -access.bytes : kWidest;
  const auto address = reinterpret_cast<std::uintptr_t>(access.address);
  return !access.may_be_unaligned && (address & (unit - 1)) != 0;
}

}  // namespace

void check_access(const Access &access, const void *return_address) {
  if (works_for_kernel) return;
  const WorkForKernel work;
  settle_equal_writes();
  State &known = state();
  const unsigned thread = current_thread();
  known.work.note(thread, access.bytes);
  const std::uint32_t site = site_of(return_address);
  if (is_misaligned(access)) {
    report_misaligned(access, site);
    current_block().fail(cudaErrorMisalignedAddress);
  }
  const bool is_own = on_own_stack(access.address);
  if (access.writes && !is_own) known.work.note_write(thread, access.address, access.bytes);
  if (known.global.contains(access.address)) return check_global(access, site);
  if (known.shared->contains(access.address))
    check_in(*known.shared, access, site);
  else if (is_own) {
    if (const char *array = has_fences ? array_left_by(access) : nullptr) [[unlikely]] {
      report_outside_local_array(access, array, site);
      end_launch();
    }
    if (has_fences && reads_array_that_is_gone(access)) [[unlikely]] {
      report_local_of_another(access, site);
      end_launch();
    }
    if (access.strength >= Strength::atomic_in_block) report_atomic_of_local(site);
    known.work.note_own_stack(thread, access.address);
  } else if (known.variables.contains(access.address)) {
    if (known.known_variables.is_constant(access.address))
      known.work.note_constant();
    else
      known.work.note_own_memory();
    note_variable(access.address);
    check_in(known.variables, access, site);
  } else {
    check_elsewhere(access, site);
  }
}

void note_freed(const Access &access, std::uint32_t site) {
  settle_equal_writes();
  check_in(state().global, access, site);
}

void check_texel(const Access &access, const void *return_address) {
  const WorkForKernel work;
  settle_equal_writes();
  if (!check_in(state().global, access, site_of(return_address)) &&
      !DeviceMemory::instance().maps(access.address))
    end_launch();
}

}  // namespace cuda_on_cpu::check
