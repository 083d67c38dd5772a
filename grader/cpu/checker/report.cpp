#include "report.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "async_copies.hpp"
#include "diagnostics.hpp"
#include "failures.hpp"
#include "findings.hpp"
#include "source_line.hpp"
#include "state.hpp"
#include "text.hpp"

namespace cuda_on_cpu::check {
namespace {

enum class Kind { race, equal_writes, outside, host, constant, uninitialised, asynchrony, value };

constexpr const char *kConstant =
    "the buffer is const: it must not be written, not even if it is restored";
constexpr const char *kConstantVariable =
    "a kernel cannot write to a __constant__ variable: copy to it with cudaMemcpyToSymbol()";

// Two accesses may race in one buffer and then in another: `memory` tells them apart.
using Memory = unsigned;
std::set<std::tuple<Kind, Memory, std::uint32_t, std::uint32_t>> seen_sites;
std::set<std::tuple<Kind, Memory, std::string, std::string>> seen_lines;
std::set<std::pair<Memory, std::uint32_t>> racing_sites;
std::map<std::pair<Memory, std::uint32_t>, std::string> uninitialised;  // the text to report
unsigned forgotten = 0;  // times_cleared() when the sets above were last cleared

// Sites first: they are known for every access, but lines have to be looked up.
bool is_new(Kind kind, Memory memory, std::uint32_t a, std::uint32_t b, const char *verb_a = "",
            const char *verb_b = "") {
  if (!seen_sites.insert({kind, memory, std::min(a, b), std::max(a, b)}).second) return false;
  const std::string first = source_line(a) + verb_a, second = source_line(b) + verb_b;
  return seen_lines.insert({kind, memory, std::min(first, second), std::max(first, second)}).second;
}
bool is_new(Kind kind, std::uint32_t site) { return is_new(kind, 0, site, site); }

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
std::string block_text(const Record &record) {
  return "block " + text_of(unpack(state().timeline.block_of(record), gridDim));
}
std::string thread_text(const Record &record) {
  return "thread " + text_of(unpack(record.thread(), blockDim));
}

std::string verb_text(Verb verb) {
  if (verb == Verb::updates) return "updates atomically";
  return verb == Verb::writes ? "writes" : "reads";
}
const char *verb_name(Verb verb) {
  if (verb == Verb::updates) return "atomic";
  return verb == Verb::writes ? "write" : "read";
}

const char *verb_name(Use use) {
  return use == Use::writes ? "write" : use == Use::updates ? "atomic" : "read";
}

// Arrays of textures are no buffers; nor is memory of the host that is not pinned.
bool is_memory_of_array(const char *address) {
  State &known = state();
  if (known.global.contains(address)) return !known.buffers.find(address);
  return !known.variables.contains(address) && !known.host_shared.find(address);
}

Place place_of(const char *address, std::size_t bytes) {
  const State &known = state();
  if (known.device_heap.contains(address)) return known.device_heap.place(address, bytes);
  if (known.shared && known.shared->contains(address))
    return place_in(known.shared_memory, address, bytes);
  if (known.variables.contains(address)) return place_in(known.known_variables, address, bytes);
  if (!known.global.contains(address))
    if (const HostSpan near = nearest_host_buffer(address); near.begin)
      return place_in(near, address, bytes);
  return place_in(known.buffers, address, bytes);
}

std::string here() {
  return std::string("kernel ") + state().kernel + ", block " + text_of(blockIdx) + ", thread " +
         text_of(threadIdx);
}

std::string missing_order(const Race &race, bool one_block) {
  if (race.earlier_verb == Verb::writes && race.verb == Verb::writes &&
      race.earlier.site == race.now.site)
    return "both write this element, and chance decides which value stays";
  if (race.earlier_verb == Verb::updates && race.verb == Verb::updates)
    return "atomics that end in _block are atomic only within a block";
  if (!one_block) return "blocks are not ordered within a launch";
  return race.earlier.same_warp(race.now) ? "no __syncwarp() or __syncthreads() between"
                                          : "no __syncthreads() between";
}

std::string race_text(const Race &race) {
  const Timeline &timeline = state().timeline;
  const bool one_block = timeline.block_of(race.earlier) == timeline.block_of(race.now);
  const std::string kernel = std::string("kernel ") + state().kernel;
  const auto one = [&](const Record &record, Verb verb) {
    return (one_block ? "" : block_text(record) + ", ") + thread_text(record) + " " +
           (state().device_heap.is_free_site(record.site) ? "frees" : verb_text(verb)) + " at " + source_line(record.site);
  };
  return place_of(race.address, race.bytes).text + ": " + kernel +
         (one_block ? ", " + block_text(race.now) : "") + ": " +
         one(race.earlier, race.earlier_verb) + "; " + one(race.now, race.verb) + "; " +
         missing_order(race, one_block);
}

const char *verb_of(const Access &access) { return access.writes ? "writes" : "reads"; }

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
  if (!is_new(Kind::outside, site)) return;
  const Place place = place_of(access.address, access.bytes);
  report("memory", "%s: %s %s %zu bytes %s at %s", place.text.c_str(), here().c_str(),
         verb_of(access), access.bytes, place.outside.c_str(), source_line(site).c_str());
}

void report_constant_written(const Access &access, std::uint32_t site) {
  if (!is_new(Kind::constant, site)) return;
  report("memory", "%s: %s writes %zu bytes at %s; %s", place_of(access.address, access.bytes).text.c_str(),
         here().c_str(), access.bytes, source_line(site).c_str(),
         state().variables.contains(access.address) ? kConstantVariable : kConstant);
}

void report_constant_filled(const char *address, std::size_t bytes, std::uint32_t site) {
  if (!is_new(Kind::constant, site)) return;
  report("memory", "%s: a copy or a fill at %s writes %s bytes; %s", place_of(address, 1).text.c_str(),
         source_line(site).c_str(), with_commas(bytes).c_str(), kConstant);
}

void report_wide_fill(int value, std::uint32_t site) {
  if (is_new(Kind::value, site))
    report("warning", "cudaMemset at %s: it sets bytes, and %d is none: each byte becomes %d",
           source_line(site).c_str(), value, value & 0xff);
}

void report_shift(const std::string &by, const char *type, const char *file, unsigned line) {
  if (seen_lines.insert({Kind::value, 0, file, std::to_string(line)}).second)
    report("warning", "%s shifts a value of type %s by %s at %s:%u: CPU and GPU have different results",
           here().c_str(), type, by.c_str(), file, line);
}

void report_misaligned(const Access &access, std::uint32_t site) {
  report("memory", "%s: %s %s %zu bytes at %s, at an address that is no multiple of %zu",
         place_of(access.address, access.bytes).text.c_str(), here().c_str(), verb_of(access),
         access.bytes, source_line(site).c_str(), access.bytes);
}

void report_out_of_bounds(const char *array, long index, const char *file, unsigned line) {
  report("memory", "an array of type %s: %s uses index %ld at %s:%u, outside of the array", array,
         here().c_str(), index, file, line);
}

void report_host_memory(const Access &access, std::uint32_t site) {
  if (const HostSpan near = nearest_host_buffer(access.address); near.begin) {
    const Place place = place_in(near, access.address, access.bytes);
    if (is_new(Kind::host, site))
      report("memory", "%s: %s %s %zu bytes %s at %s", place.text.c_str(), here().c_str(),
             verb_of(access), access.bytes, place.outside.c_str(), source_line(site).c_str());
    return;
  }
  if (is_new(Kind::host, site))
    report("memory",
           "host memory: %s %s %zu bytes at %s; a kernel can only use memory of the device",
           here().c_str(), verb_of(access), access.bytes, source_line(site).c_str());
}

void report_wrong_free(const void *pointer, const char *call, std::uint32_t site) {
  const Buffer *buffer = state().buffers.find(static_cast<const char *>(pointer));
  if (buffer && buffer->freed)
    report("memory", "%s at %s: %s has already been freed", call, source_line(site).c_str(),
           title_of(*buffer).c_str());
  else
    report("memory", "%s at %s: cudaMalloc did not return this pointer", call,
           source_line(site).c_str());
}

void report_free_of_cuda(const char *pointer, std::uint32_t site) {
  const HostSpan buffer = nearest_host_buffer(pointer);
  const bool is_managed = buffer.type == cudaMemoryTypeManaged;
  report("memory", "free() or delete at %s: %s has made this memory: use %s", source_line(site).c_str(),
         is_managed ? "cudaMallocManaged" : "cudaMallocHost", is_managed ? "cudaFree()" : "cudaFreeHost()");
}

void report_copy_outside(bool is_target, std::size_t room, std::size_t bytes, std::uint32_t site) {
  if (site && is_new(Kind::outside, site))
    report("memory", "copy at %s: it uses %s bytes of the host's %s, which has %s",
           source_line(site).c_str(), with_commas(bytes).c_str(), is_target ? "target" : "source",
           with_commas(room).c_str());
}

void report_copy_of_heap(std::uint32_t site) {
  if (is_new(Kind::outside, site))
    report("memory",
           "copy at %s: the heap of kernels is closed to cudaMemcpy: let a kernel copy from it",
           source_line(site).c_str());
}

void report_host_read(const char *address, std::size_t bytes, std::uint32_t copy,
                      std::uint32_t site) {
  if (!is_new(Kind::uninitialised, 0, copy, site)) return;
  const std::string from = copy ? ", copied at " + source_line(copy) : "";
  report("uninitialised", "%s: the host reads at %s what was never written since cudaMalloc%s",
         place_of(address, bytes).text.c_str(), source_line(site).c_str(), from.c_str());
}

void begin_reports() {
  if (forgotten == times_cleared()) return;
  forgotten = times_cleared();
  seen_sites.clear();
  seen_lines.clear();
  racing_sites.clear();
}

void report_asynchrony(const Asynchrony &found) {
  if (!is_new(Kind::asynchrony, 0, found.earlier.range.site, found.now.site)) return;
  const auto side = [](const Task &task, const Range &range) {
    const char *verb = range.use == Use::writes    ? "writes"
                       : range.use == Use::updates ? "updates atomically"
                                                   : "reads";
    return task.title + " " + (task.verb.empty() ? verb : task.verb) + " at " +
           source_line(range.site);
  };
  const char *begin = std::max(found.earlier.range.begin, found.now.begin);
  const Place place =
      is_memory_of_array(begin)
          ? Place{found.earlier.task->is_staged ? "memory of the host" : "an array", ""}
          : place_of(begin, 4);
  const Task &first = *found.earlier.task;
  report(first.is_staged ? "warning" : "race", "%s: %s; %s; %s", place.text.c_str(),
         side(first, found.earlier.range).c_str(), side(found.task, found.now).c_str(),
         found.missing.c_str());
  if (!first.is_staged)
    describe_race(place.buffer,
                  {verb_name(found.earlier.range.use), source_line(found.earlier.range.site)},
                  {verb_name(found.now.use), source_line(found.now.site)});
}

void report_early_question(std::uint32_t record, std::uint32_t site) {
  if (is_new(Kind::asynchrony, 0, record, site))
    report("error",
           "cudaEventElapsedTime at %s: the event recorded at %s may not have happened yet, and "
           "then there "
           "is no time: call cudaEventSynchronize() first",
           source_line(site).c_str(), source_line(record).c_str());
}

void report_leaks() {
  for (const Buffer &buffer : state().buffers.live())
    report("leak", "%s was never freed", title_of(buffer).c_str());
  state().device_heap.report_leaks();
}

void note_uninitialised(const Access &access, std::uint32_t site) {
  const Memory memory = memory_of(access.address);
  if (uninitialised.contains({memory, site})) return;
  const Place place = place_of(access.address, access.bytes);
  const bool is_shared = state().shared->contains(access.address);
  const char *what = state().device_heap.contains(access.address) ? "what was never written since malloc"
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
      report("uninitialised", "%s, at %s", text.c_str(), source_line(where.second).c_str());
  uninitialised.clear();
}

}  // namespace cuda_on_cpu::check
