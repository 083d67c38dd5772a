// Connects the checker to the runtime's hooks before main() starts, and prints the final summary.
#include <sys/single_threaded.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "access.hpp"
#include "async_copies.hpp"
#include "asynchrony.hpp"
#include "atomic_steps.hpp"
#include "base/hooks.hpp"
#include "bounds.hpp"
#include "call_paths.hpp"
#include "clusters.hpp"
#include "compare_and_swap.hpp"
#include "copies.hpp"
#include "device/device.hpp"
#include "equal_writes.hpp"
#include "messages/diagnostics.hpp"
#include "messages/failures.hpp"
#include "messages/findings.hpp"
#include "messages/line_start.hpp"
#include "overlap.hpp"
#include "parked_blocks.hpp"
#include "report.hpp"
#include "source_line.hpp"
#include "state.hpp"

namespace cuda_on_cpu::check {
namespace {

constexpr int kExitWithFindings = 86;

std::size_t child_to_begin = 0;  // 0: the next launch is the host's

std::size_t child_launched(cudaStream_t stream) {
  const ChildOrder order = stream == cudaStreamTailLaunch      ? ChildOrder::last
                           : stream == cudaStreamFireAndForget ? ChildOrder::alone
                                                               : ChildOrder::in_stream;
  // A stream that is made after another was destroyed may have its handle, but not its number.
  const std::uint64_t number =
      stream && order == ChildOrder::in_stream ? stream_of(stream).number : 0;
  return state().timeline.launch_child(current_thread(), is_legacy(number) ? 0 : number, order) + 1;
}

void child_begin(std::size_t number) { child_to_begin = number; }

void launch_begin(const char *kernel, Site site, const Configuration &configuration) {
  State &known = state();
  works_for_kernel = false;  // the last one may have ended in a report
  begin_reports();
  ++fence_salt;
  known.kernel = kernel;
  note_library_call(site.line == 0);
  known.work.begin_launch();
  known.locks.begin_launch();
  if (child_to_begin) {
    known.timeline.begin_child(child_to_begin - 1);
  } else {
    known.timeline.begin_launch();
    known.promises.begin_launch();
    known.grids.clear();
  }
  child_to_begin = 0;
  known.grids.push_back({kernel, configuration.grid, configuration.block});
  begin_kernel(kernel, site, known.timeline.epoch());
  forget_cluster();
  known.shared_memory = {nullptr, configuration.shared_bytes, {}};
  if (this_device().count > 1) known.buffers.close_for(current_device(), known.global);
  if (known.shared) known.shared->reset();
}

// A copy that failed is why its target was never written.
void launch_end() {
  state().work.pass_grid();
  report_plain_reads();
  end_kernel();
  if (has_uninitialised()) report_unchecked_calls();
  report_uninitialised();
}

// A block starts with unwritten shared memory. The static variables are added at their first use.
void block_begin(unsigned long long block, const char *arena, std::size_t dynamic_bytes) {
  State &known = state();
  forget_copy_steps();
  known.work.leave_block();
  known.timeline.begin_block(block);
  begin_shared(arena, dynamic_bytes);
}

void block_end() {
  settle_equal_writes();
  settle_plain_reads();
}

void shared_reserved(const SharedVariable &variable) {
  if (state().cluster.blocks) return reserve_in_windows(variable);
  state().shared_memory.variables.push_back(variable);
  state().shared->mark_accessible(variable.address, variable.bytes);
}

void block_synchronised() {
  State &known = state();
  settle_equal_writes();
  known.timeline.barrier();
  known.work.pass_barrier(volume(known.grids.back().block));
  known.promises.barrier();
}

void warp_synchronised(unsigned warp, unsigned lanes) {
  settle_equal_writes();
  state().timeline.synchronise_lanes(warp, lanes);
  state().work.synchronise_lanes(warp, lanes);
}

void memory(const void *pointer, std::size_t bytes, MemoryEvent event, const void *caller) {
  State &known = state();
  const char *address = static_cast<const char *>(pointer);
  if (event == MemoryEvent::freed_wrongly || event == MemoryEvent::freed_wrongly_in_stream)
    return report_wrong_free(
        pointer, event == MemoryEvent::freed_wrongly ? "cudaFree" : "cudaFreeAsync",
        site_of(caller));
  if (event == MemoryEvent::shared_allocated) return known.host_shared.add(address, bytes);
  if (event == MemoryEvent::shared_freed) {
    note_free(address, bytes);
    return known.host_shared.remove(address);
  }
  if (event == MemoryEvent::written_by_host) note_fill(address, bytes, caller);
  if (!known.global.contains(address)) return;
  if (event == MemoryEvent::written_by_host) {
    if (known.global.is_read_only(address)) report_constant_filled(address, bytes, site_of(caller));
    return known.global.mark_written(address, bytes);
  }
  if (event == MemoryEvent::allocated) {
    known.buffers.add(address, bytes, take_buffer_name(), caller ? site_of(caller) : 0);
    known.global.forget(address, bytes);
  } else {
    if (const Buffer *buffer = known.buffers.find(address)) bytes = buffer->allocation_bytes;
    note_free(address, bytes);
    known.buffers.free(address, event == MemoryEvent::freed_by_reset);
  }
  known.global.set_read_only(address, bytes, false);
  known.global.refill(address, bytes);
}

void accessible(const void *payload, std::size_t bytes, bool initialised, const char *name) {
  State &known = state();
  const char *address = static_cast<const char *>(payload);
  Buffer *buffer = known.buffers.find(address);
  if (!buffer) return;
  buffer->begin = address;
  buffer->bytes = bytes;
  if (name) buffer->name = name;
  known.global.refill(buffer->allocation, buffer->allocation_bytes);
  if (initialised)
    known.global.mark_written(address, bytes);
  else
    known.global.mark_unwritten(address, bytes);
}

void constant(const void *payload, std::size_t bytes) {
  state().global.set_read_only(static_cast<const char *>(payload), bytes, true);
}

void symbol_address(const void *symbol) {
  state().known_variables.open_constant(static_cast<const char *>(symbol));
}

void library_memory(const void *address, std::size_t bytes) {
  state().heap.add(static_cast<const char *>(address), bytes);
  const Entry entry;
  overlap().library_waits = true;
  watch();
}

// grid.sync() orders everything before it, as the end of a launch does.
void grid_synchronised() {
  state().work.pass_grid();
  report_plain_reads();
  state().timeline.pass_grid();
  state().promises.begin_launch();
}

// It is not known any more what the block had written: all its shared memory counts as written.
void block_resumed(unsigned long long block) {
  State &known = state();
  known.work.leave_block();
  known.timeline.begin_block(block);
  if (known.cluster.blocks) return;  // there it is known
  if (!known.shared) begin_shared(known.shared_memory.dynamic, known.shared_memory.dynamic_bytes);
  known.shared->mark_written(known.shared_arena, known.shared_memory.dynamic_bytes);
  for (const SharedVariable &variable : known.shared_memory.variables)
    known.shared->mark_written(variable.address, variable.bytes);
}

void copy_leaves_array(bool is_target, const void *array, std::size_t room, std::size_t bytes,
                       const void *caller) {
  report_copy_outside(is_target, static_cast<const char *>(array), room, bytes, site_of(caller));
}

void filled_with(int value, const void *caller) {
  const bool is_byte = value >= -128 && value <= 255;
  const unsigned same_bytes = 0x01010101u * (static_cast<unsigned>(value) & 0xff);
  if (caller && !is_byte && static_cast<unsigned>(value) != same_bytes)
    report_wide_fill(value, site_of(caller));
}

std::size_t room_at(const void *host) {
  return state().host_heap.room_at(static_cast<const char *>(host));
}

void texel_read(const void *texel, std::size_t bytes, const void *return_address) {
  Access access{static_cast<const char *>(texel), bytes, true, false};
  access.may_be_unaligned = true;
  if (state().buffers.find(access.address)) check_texel(access, return_address);
}

void surface_written(const void *element, std::size_t bytes, const void *return_address) {
  const Access access{static_cast<const char *>(element), bytes, false, true};
  state().work.note(current_thread());
  state().work.note_write(current_thread(), access.address, bytes);
  if (state().buffers.find(access.address)) check_texel(access, return_address);
}

// A thread that reads through a texture works as much as one that reads memory.
void note_fetch(const void *, std::size_t, const void *) { state().work.note(current_thread()); }

const char *line_of(const void *instruction) {
  return source_line(site_of(static_cast<const char *>(instruction) + 1)).c_str();
}

const Hooks table{.child_launched = child_launched,
                  .child_begin = child_begin,
                  .launch_begin = launch_begin,
                  .launch_end = launch_end,
                  .block_begin = block_begin,
                  .block_end = block_end,
                  .shared_reserved = shared_reserved,
                  .block_synchronised = block_synchronised,
                  .warp_synchronised = warp_synchronised,
                  .atomic = note_step,
                  .fence = note_fence,
                  .waits = note_waiting,
                  .looked = note_fruitless,
                  .compared = note_comparison,
                  .memory = memory,
                  .copied = note_copy,
                  .copy_leaves_array = copy_leaves_array,
                  .rows_copied = note_rows,
                  .filled_with = filled_with,
                  .room_at = room_at,
                  .accessible = accessible,
                  .grid_synchronised = grid_synchronised,
                  .block_resumed = block_resumed,
                  .cluster_begin = cluster_begin,
                  .cluster_synchronised = cluster_synchronised,
                  .cluster_left = cluster_left,
                  .block_put_aside = block_put_aside,
                  .block_taken_up = block_taken_up,
                  .counters = nullptr,
                  .reset_counters = nullptr,
                  .line_of = line_of,
                  .fetched = note_fetch,
                  .surface_written = surface_written,
                  .texel_outside = report_texel_outside,
                  .texel_read = texel_read,
                  .work = [] { return state().work.take(); },
                  .asynchrony = &asynchrony_hooks,
                  .host_atomic = note_host_atomic,
                  .constant = constant,
                  .symbol_address = symbol_address,
                  .library_memory = library_memory,
                  .copy_step = note_copy_step,
                  .call_path = call_path,
                  .line_of_path = line_of_path,
                  .judges_barriers = true};

void speak_last_word() {
  report_unchecked_calls();
  report_leaks();
  const std::size_t count = unfetched_errors();
  if (count == 0) return;
  std::fprintf(stderr, "%s%zu finding%s\n", line_start(), count, count == 1 ? "" : "s");
  std::fflush(nullptr);
  _exit(kExitWithFindings);
}

// First of all constructors, so that the final summary comes after the program's destructors.
__attribute__((constructor(101))) void install() {
  make_state();
  set_hooks(&table);
  __libc_single_threaded = 0;  // a driver calls host functions in a thread of its own
  std::atexit(speak_last_word);
}

}  // namespace
}  // namespace cuda_on_cpu::check

// Every instrumented object file calls this, so the linker includes this file.
extern "C" void __tsan_init() {}
