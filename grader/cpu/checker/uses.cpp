// Who uses which bytes: kernels, copies and fills, and the host.
#include "access.hpp"
#include "asynchrony.hpp"
#include "copies.hpp"
#include "device/device.hpp"
#include "device/device_memory.hpp"
#include "footprint.hpp"
#include "messages/text.hpp"
#include "overlap.hpp"
#include "report.hpp"
#include "source_line.hpp"
#include "state.hpp"

namespace cuda_on_cpu::check {

void begin_kernel(const char *name, Site site, std::uint32_t epoch) {
  const Entry entry;
  const bool in_graph = given.back().is_node && given.back().site;
  const std::uint32_t call = in_graph ? given.back().site : library_call();
  const std::string place = call ? source_line(call) : text_of(site);
  overlap().kernel =
      task_of(std::string("kernel ") + name + " launched at " + place.substr(place.rfind('/') + 1));
  overlap().kernel_epoch = epoch;
}

namespace {

void use_all(std::vector<Range> &ranges) {
  const std::uint32_t call = library_call();
  for (Range &range : ranges) {
    if (call && source_places(range.site).empty()) range.site = call;  // a library's own kernel
    use(range, overlap().kernel);
  }
}

}  // namespace

// Without streams and without memory of both sides nothing can overlap, and nothing is remembered.
void end_kernel() {
  Overlap &all = overlap();
  const Entry entry;
  if (!all.concurrent && state().host_shared.empty()) return;
  all.kernel->tells = state().timeline.has_wide_fence();
  const Told told = all.kernel->tells ? state().timeline.told() : Told{};
  Footprint footprint;
  add_footprint(state().global, all.kernel_epoch, told, footprint);
  add_footprint(state().variables, all.kernel_epoch, told, footprint);
  state().host_shared.for_each(
      [&](Shadow &shadow) { add_footprint(shadow, all.kernel_epoch, told, footprint); });
  use_all(footprint.told);
  if (all.kernel->tells) work_tells = true;
  if (footprint.others.empty()) return;
  all.kernel->told = Clocks::now();
  all.clocks.pass_flags();
  use_all(footprint.others);
}

// A kernel waits for a flag that the work of another stream has set: a spin lock, too.
void learn_from_work(const void *flag, std::size_t bytes) {
  Overlap &all = overlap();
  const Entry entry;
  const char *address = static_cast<const char *>(flag);
  const Range range{address, address + bytes, Use::reads, 0};
  while (const Ledger::Line *line = all.ledger.find_disturbing(range, all.clocks.seen())) {
    if (!line->task->tells || line->range.use != Use::updates) break;
    all.clocks.learn(line->moment);
  }
}

namespace {

std::uint32_t site_or(std::uint32_t site) { return given.back().site ? given.back().site : site; }

// Outside of a stream's work the runtime copies for a call without a stream: for the default
// stream of the device that has the memory.
template <class Visit>
void in_some_work(std::uint32_t site, int device, bool host_waits, Visit visit) {
  Overlap &all = overlap();
  const Entry entry;
  if (Clocks::works()) return visit(site_or(site));
  const CUstream_st &legacy = legacy_stream(device);
  begin_work_in(legacy, site);
  visit(site);
  all.clocks.end_work();
  given.pop_back();
  if (host_waits) {
    all.clocks.host_waits_for(lane_of(legacy));
    all.ledger.forget(all.clocks.threads);
  }
  watch();
}

bool is_pageable(const char *address) {
  State &known = state();
  return !known.global.contains(address) && !known.variables.contains(address) &&
         !known.host_shared.find(address);
}

// Of a thrust vector: device memory, in which nobody looks for races.
bool is_of_library(const char *address) {
  return !state().variables.contains(address) && DeviceMemory::instance().is_variable(address);
}

}  // namespace

// A copy from memory that is not pinned goes through a buffer of the driver, so the source is free
// again at once. A copy to such memory may be over when the call returns, but no one promises it.
void note_copied_ranges(char *to, const char *from, std::size_t bytes, std::uint32_t call) {
  const bool between = state().global.contains(to) && state().global.contains(from);
  const int device = device_of(state().global.contains(from) ? from : to);
  in_some_work(call, device, !between, [&](std::uint32_t site) {
    const auto task = task_of("a copy");
    if (!is_pageable(from)) use({from, from + bytes, Use::reads, site}, task);
    if (is_of_library(to)) return;
    if (is_pageable(to) && is_pageable(from)) return;
    task->is_staged = is_pageable(to);
    use({to, to + bytes, Use::writes, site}, task);
  });
}

// The host waits for cudaMemset of pinned and of managed memory, and for no other fill.
void note_fill(const char *begin, std::size_t bytes, const void *caller) {
  const bool host_waits = state().host_shared.find(begin) != nullptr;
  in_some_work(caller ? site_of(caller) : 0, device_of(begin), host_waits, [&](std::uint32_t site) {
    use({begin, begin + bytes, Use::writes, site}, task_of("a fill"));
  });
}

void note_free(const char *begin, std::size_t bytes) {
  const Entry entry;
  overlap().ledger.forget(begin, begin + bytes);
}

void watch_unwritten(bool unwritten) {
  overlap().unwritten_on_host = unwritten;
  watch();
}

namespace {

// Of a function that has returned. Whoever uses its bytes now is somebody else.
bool is_on_old_stack(const char *address) {
  const char *frame = static_cast<const char *>(__builtin_frame_address(0));
  return address < frame && frame - address < (1 << 20);
}

// A flag that a kernel or a host function sets for the host: who sees it, has waited. Without a
// fence the kernel's other writes may come later, and the flag alone is known.
void learn_from_flag(const char *address, std::size_t bytes) {
  Overlap &all = overlap();
  const Range range{address, address + bytes, Use::reads, 0};
  while (const Ledger::Line *line = all.ledger.find_disturbing(range, all.clocks.host())) {
    if (!line->task->tells) {
      all.ledger.forget(range.begin, range.end);
      break;
    }
    all.clocks.host_waits_for_moment(line->moment);
    all.ledger.forget(all.clocks.threads);
  }
  watch();
}

// Another thread may wait for what this one does at `address`, or the other way round.
void tell_threads(const char *address) {
  if (HostThreads::are_several()) overlap().clocks.threads.meet(address);
}

// thrust's algorithms run on the host here. After a vector of thrust is room.
bool leaves_vector(const Access &access) {
  const char *last = access.address + access.bytes - 1;
  const std::size_t past = state().heap.bytes_past_end(last);
  return past < kRoomOfLibrary && is_of_library(last - past - 1);
}

// What a function of the host that a stream calls may share with others: all but its own variables.
bool is_shared(const char *address) {
  const char *frame = static_cast<const char *>(__builtin_frame_address(0));
  return address < frame - (1 << 20) || address >= given.back().frame;
}

}  // namespace

void note_host_atomic(const void *flag, std::size_t bytes, const void *caller) {
  if (inside || allocates_on_host) return;
  const Entry entry;
  const char *address = static_cast<const char *>(flag);
  if (!Clocks::works()) {
    learn_from_flag(address, bytes);
    tell_threads(address);
  } else if (is_shared(address)) {
    use({address, address + bytes, Use::updates, site_of(caller)}, task_of("a host function"));
  }
}

void note_host_free(const void *block, std::size_t bytes, const void *caller) {
  if (!watches_host || inside || allocates_on_host) return;
  const Entry entry;
  const char *begin = static_cast<const char *>(block);
  const Range range{begin, begin + bytes, Use::writes, caller ? site_of(caller) : 0};
  if (!Clocks::works()) use_by_host(range, "frees");
  overlap().ledger.forget(range.begin, range.end);
}

// Host functions are work of a stream.
void check_host_access(const Access &access, const void *return_address) {
  if (inside || allocates_on_host) return;
  Overlap &all = overlap();
  const Entry entry;
  if (all.unwritten_on_host) check_unwritten(access, return_address);
  if (all.library_waits && leaves_vector(access))
    return report_past_vector(access, site_of(return_address));
  const char *address = access.address;
  const Range range{address, address + access.bytes, access.writes ? Use::writes : Use::reads,
                    site_of(return_address)};
  if (Clocks::works()) {
    if (is_shared(address)) use(range, task_of("a host function"));
  } else if (access.strength == Strength::is_volatile) {
    if (access.reads) learn_from_flag(address, access.bytes);
    tell_threads(address);
  } else if (!is_on_old_stack(address)) {
    use_by_host(range);
  }
}

}  // namespace cuda_on_cpu::check
