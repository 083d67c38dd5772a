// Accesses of kernels: races, bounds, memory that is not theirs, what nobody wrote.
#include "report.hpp"

#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "async_copies.hpp"
#include "clusters.hpp"
#include "copies.hpp"
#include "device/host_memory.hpp"
#include "device/order.hpp"
#include "messages/diagnostics.hpp"
#include "messages/failures.hpp"
#include "messages/findings.hpp"
#include "messages/text.hpp"
#include "report_parts.hpp"
#include "source_line.hpp"
#include "state.hpp"
#include "threads/block.hpp"

namespace cuda_on_cpu::check {
namespace {

constexpr const char *kConstantVariable =
    "a kernel cannot write to a __constant__ variable: copy to it with cudaMemcpyToSymbol()";

std::set<std::pair<Memory, std::uint32_t>> racing_sites;
std::map<std::pair<Memory, std::uint32_t>, std::string> uninitialised;  // the text to report
unsigned forgotten = 0;  // times_cleared() when the sets above were last cleared

// A number for each buffer; one for all shared memory, one for all __device__ variables.
Memory memory_of(const char *address) {
  State &known = state();
  if (known.shared && known.shared->contains(address)) return 0;
  if (known.device_heap.contains(address)) return ~Memory{0};
  const Buffer *buffer = known.buffers.find(address);
  return buffer ? 1 + buffer->number : 1;
}

uint3 unpack(std::uint64_t index, const dim3 &extent) {
  return {static_cast<unsigned>(index % extent.x),
          static_cast<unsigned>(index / extent.x % extent.y),
          static_cast<unsigned>(index / extent.x / extent.y)};
}
const LaunchedGrid &grid_of(const Record &record) {
  return state().grids[state().timeline.grid_of(record)];
}
std::string block_text(const Record &record) {
  return "block " + text_of(unpack(state().timeline.block_of(record), grid_of(record).grid));
}
std::string thread_text(const Record &record) {
  return "thread " + text_of(unpack(record.thread(), grid_of(record).block));
}

std::string verb_text(Verb verb) {
  if (verb == Verb::updates) return "updates atomically";
  return verb == Verb::writes ? "writes" : "reads";
}
const char *verb_name(Verb verb) {
  if (verb == Verb::updates) return "atomic";
  return verb == Verb::writes ? "write" : "read";
}

std::string missing_order(const Race &race, bool one_block) {
  if (race.missing) return race.missing;
  const Timeline &timeline = state().timeline;
  const std::size_t first = timeline.grid_of(race.earlier), second = timeline.grid_of(race.now);
  if (first != second)
    return timeline.launched_by(second, first)
               ? "a grid runs beside the kernel that launched it, and sees only what was done "
                 "before"
               : "grids of different blocks, or in different streams, are not ordered";
  if (race.earlier_verb == Verb::writes && race.verb == Verb::writes &&
      race.earlier.site == race.now.site)
    return "both write this element, and chance decides which value stays";
  if (differ_in_width(race.earlier, race.now))
    return "atomics of 4 and of 8 bytes are not atomic to each other";
  if (race.earlier_verb == Verb::updates && race.verb == Verb::updates)
    return "atomics that end in _block are atomic only within a block";
  if (!one_block && timeline.of_this_cluster(race.earlier)) return "no cluster.sync() between";
  if (!one_block) return "blocks are not ordered within a launch";
  return race.earlier.same_warp(race.now) ? "no __syncwarp() or __syncthreads() between"
                                          : "no __syncthreads() between";
}

std::string race_text(const Race &race) {
  const Timeline &timeline = state().timeline;
  const bool one_grid = timeline.grid_of(race.earlier) == timeline.grid_of(race.now);
  const bool one_block =
      one_grid && timeline.block_of(race.earlier) == timeline.block_of(race.now);
  const std::string kernel = one_grid ? std::string(": kernel ") + state().kernel : "";
  const auto one = [&](const Record &record, Verb verb) {
    return (one_grid ? "" : std::string("kernel ") + grid_of(record).kernel + ", ") +
           (one_block ? "" : block_text(record) + ", ") + thread_text(record) + " " +
           (state().device_heap.is_free_site(record.site) ? "frees" : verb_text(verb)) + " at " +
           line_in_kernel(record.site);
  };
  return place_of(race.address, race.bytes).text + kernel +
         (one_block ? ", " + block_text(race.now) : "") + ": " +
         one(race.earlier, race.earlier_verb) + "; " + one(race.now, race.verb) + "; " +
         missing_order(race, one_block);
}

}  // namespace

void report_race(const Race &race) {
  const Memory memory = memory_of(race.address);
  const std::uint32_t first = race.earlier.site, second = race.now.site;
  racing_sites.insert({{memory, first}, {memory, second}});
  const char *first_verb = verb_name(race.earlier_verb), *second_verb = verb_name(race.verb);
  if (!is_new(Kind::race, memory, first, second, first_verb, second_verb)) return;
  report("race", "%s", race_text(race).c_str());
  describe_race(place_of(race.address, race.bytes).buffer, {first_verb, source_line(first)},
                {second_verb, source_line(second)});
}

void report_equal_writes(const Race &race) {
  if (is_new(Kind::equal_writes, memory_of(race.address), race.earlier.site, race.now.site))
    report("warning", "several threads write the same value: %s", race_text(race).c_str());
}

void report_outside(const Access &access, std::uint32_t site) {
  if (report_without_block(access, site)) return;
  if (!is_new(Kind::outside, site)) return;
  const Place place = place_of(access.address, access.bytes);
  report("memory", "%s: %s %s %s %s at %s", place.text.c_str(), here().c_str(), verb_of(access),
         bytes_text(access.bytes).c_str(), place.outside.c_str(), line_in_kernel(site).c_str());
}

void report_use_of_left(const Race &race, unsigned rank) {
  if (!is_new(Kind::outside, race.earlier.site)) return;
  report("memory",
         "%s: kernel %s, %s, %s %s at %s, but block %u of the cluster may have left the kernel: "
         "call cluster.sync() at its end",
         place_of(race.address, race.bytes).text.c_str(), grid_of(race.earlier).kernel,
         block_text(race.earlier).c_str(), thread_text(race.earlier).c_str(),
         verb_text(race.earlier_verb).c_str(), line_in_kernel(race.earlier.site).c_str(), rank);
}

void report_deadlock() {
  const WorkForKernel work;
  const std::string sentence = state().locks.sentence();
  if (sentence.empty()) return;
  Block &block = current_block();
  if (block.first_failure())
    report("barrier", "kernel %s: deadlock: %s", state().kernel, sentence.c_str());
  block.fail(cudaErrorLaunchFailure);
}

void report_constant_written(const Access &access, std::uint32_t site) {
  if (!is_new(Kind::constant, site)) return;
  report("memory", "%s: %s writes %s at %s; %s",
         place_of(access.address, access.bytes).text.c_str(), here().c_str(),
         bytes_text(access.bytes).c_str(), line_in_kernel(site).c_str(),
         state().variables.contains(access.address) ? kConstantVariable : kConstant);
}

void report_shift(const std::string &by, const char *type, const char *file, unsigned line) {
  if (is_new_line(Kind::value, file, line))
    report("warning",
           "%s shifts a value of type %s by %s at %s:%u: CPU and GPU have different results",
           here().c_str(), type, by.c_str(), file, line);
}

void report_texel_outside(long index, long elements, const void *return_address) {
  const std::uint32_t site = site_of(return_address);
  if (is_new(Kind::value, site))
    report("warning",
           "a texture of %s elements: %s reads element %ld at %s, where it has none: a GPU gives 0",
           with_commas(static_cast<unsigned long long>(elements)).c_str(), here().c_str(), index,
           line_in_kernel(site).c_str());
}

void report_misaligned(const Access &access, std::uint32_t site) {
  report("memory", "%s: %s %s %s at %s, at an address that is no multiple of %zu",
         place_of(access.address, access.bytes).text.c_str(), here().c_str(), verb_of(access),
         bytes_text(access.bytes).c_str(), line_in_kernel(site).c_str(), access.bytes);
}

void report_out_of_bounds(const char *array, long index, const char *file, unsigned line) {
  const bool is_known = !std::strstr(array, "<unknown>");  // g++ cannot name pointers to functions
  report("memory", "an array%s%s: %s uses index %ld at %s:%u, outside of the array",
         is_known ? " of type " : " of ", is_known ? array : "pointers", here().c_str(), index,
         file, line);
}

void report_outside_local_array(const Access &access, const char *array, std::uint32_t site) {
  report("memory", "local array %s: %s %s %s outside of it at %s", array, here().c_str(),
         verb_of(access), bytes_text(access.bytes).c_str(), line_in_kernel(site).c_str());
}

void report_atomic_of_local(std::uint32_t site) {
  if (is_new(Kind::atomic_of_local, site))
    report("warning",
           "%s uses an atomic at %s on a local variable: each thread has its own, so nothing is "
           "added up",
           here().c_str(), line_in_kernel(site).c_str());
}

void begin_reports() {
  if (forgotten == times_cleared()) return;
  forgotten = times_cleared();
  forget_seen();
  racing_sites.clear();
}

void report_virtual_call(const Access &access, std::uint32_t site) {
  if (is_new(Kind::host, site))
    report(
        "memory",
        "%s: %s calls a virtual function at %s, of an object that the host has made: its table of "
        "functions is the host's. Make the object in a kernel",
        place_of(access.address, access.bytes).text.c_str(), here().c_str(),
        line_in_kernel(site).c_str());
}

void note_uninitialised(const Access &access, std::uint32_t site) {
  if (access.bytes == sizeof(void *) && holds_virtual_table(access.address))
    return report_virtual_call(access, site);
  if (leaves_out_blocks()) return;  // one of these would have written it
  const Memory memory = memory_of(access.address);
  if (uninitialised.contains({memory, site})) return;
  const Place place = place_of(access.address, access.bytes);
  const bool is_shared = state().shared->contains(access.address);
  const char *what = state().device_heap.contains(access.address)
                         ? "what was never written since malloc"
                     : !is_shared ? "what was never written since cudaMalloc"
                     : is_on_its_way(access.address)
                         ? "what an asynchronous copy brings, which has not been waited for"
                         : "what was never written in this block";
  uninitialised[{memory, site}] = place.text + ": " + here() + " reads " + what;
}

bool has_uninitialised() { return !uninitialised.empty(); }

void report_uninitialised() {
  for (const auto &[where, text] : uninitialised)
    if (!racing_sites.contains(where) && is_new(Kind::uninitialised, where.second))
      report("uninitialised", "%s, at %s", text.c_str(), line_in_kernel(where.second).c_str());
  uninitialised.clear();
}

}  // namespace cuda_on_cpu::check
