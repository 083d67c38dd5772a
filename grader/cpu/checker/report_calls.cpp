// What the host did: copies, fills, frees, leaks, and work that nothing orders.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "device/host_memory.hpp"
#include "device/order.hpp"
#include "messages/diagnostics.hpp"
#include "messages/failures.hpp"
#include "messages/findings.hpp"
#include "messages/text.hpp"
#include "report.hpp"
#include "report_parts.hpp"
#include "source_line.hpp"
#include "state.hpp"

namespace cuda_on_cpu::check {
namespace {

const char *verb_name(Use use) {
  return use == Use::writes ? "write" : use == Use::updates ? "atomic" : "read";
}

// Arrays of textures are no buffers; nor is memory of the host that is not pinned.
bool is_memory_of_array(const char *address) {
  State &known = state();
  if (known.global.contains(address)) return !known.buffers.find(address);
  return !known.variables.contains(address) && !known.host_shared.find(address);
}

}  // namespace

void report_constant_filled(const char *address, std::size_t bytes, std::uint32_t site) {
  if (!is_new(Kind::constant, site)) return;
  report("memory", "%s: a copy or a fill at %s writes %s bytes; %s",
         place_of(address, 1).text.c_str(), source_line(site).c_str(), with_commas(bytes).c_str(),
         kConstant);
}

void report_wide_fill(int value, std::uint32_t site) {
  if (is_new(Kind::value, site))
    report("warning", "cudaMemset at %s: it sets bytes, and %d is none: each byte becomes %d",
           source_line(site).c_str(), value, value & 0xff);
}

namespace {

// What a pointer is that cudaFree() cannot free; "" if that is not known.
std::string what_it_is(const char *pointer, const Buffer *buffer) {
  if (const HostSpan near = nearest_host_buffer(pointer); near.contains(pointer)) {
    if (near.registered) return ": it is memory of the host";
    return near.type == cudaMemoryTypeHost
               ? ": it is " + check::title_of(near) + ": use cudaFreeHost()"
               : ": it points into " + check::title_of(near);
  }
  if (buffer) return ": it points into " + title_of(*buffer) + ", not to its beginning";
  if (state().variables.contains(pointer)) return ": it is a variable of the program";
  return ": it is no memory of the device";
}

}  // namespace

void report_wrong_free(const void *pointer, const char *call, std::uint32_t site) {
  const char *address = static_cast<const char *>(pointer);
  const Buffer *buffer = state().buffers.find(address);
  const HostSpan freed = freed_host_buffer(pointer);
  if (freed.type == cudaMemoryTypeManaged)
    report("memory", "%s at %s: %s has already been freed", call, source_line(site).c_str(),
           title_of(freed).c_str());
  else if (buffer && buffer->freed)
    report("memory", "%s at %s: %s has already been freed%s", call, source_line(site).c_str(),
           title_of(*buffer).c_str(), buffer->by_reset ? ", by cudaDeviceReset" : "");
  else
    report("memory", "%s at %s: cudaMalloc did not return this pointer%s", call,
           source_line(site).c_str(), what_it_is(address, buffer).c_str());
}

void report_free_of_cuda(const char *pointer, std::uint32_t site) {
  const HostSpan buffer = nearest_host_buffer(pointer);
  const bool is_managed = buffer.type == cudaMemoryTypeManaged;
  report("memory", "free() or delete at %s: %s has made this memory: use %s",
         source_line(site).c_str(), is_managed ? "cudaMallocManaged" : "cudaMallocHost",
         is_managed ? "cudaFree()" : "cudaFreeHost()");
}

void report_free_of_registered(const char *pointer, std::uint32_t site) {
  const std::string registered = source_line(site_of(nearest_host_buffer(pointer).made_by));
  report("memory", "free() or delete at %s: cudaHostRegister() at %s has pinned this memory: call "
         "cudaHostUnregister() first", source_line(site).c_str(), registered.c_str());
}

void report_copy_outside(bool is_target, const char *array, std::size_t room, std::size_t bytes,
                         std::uint32_t site) {
  if (!site || !is_new(Kind::outside, site)) return;
  const auto block = state().host_heap.block_at(array);
  report("memory", "copy at %s: it uses %s bytes of the host's %s, which has %s%s",
         source_line(site).c_str(), with_commas(bytes).c_str(), is_target ? "target" : "source",
         with_commas(room).c_str(), block ? (", in " + heap_block_text(*block)).c_str() : "");
}

void report_copy_of_freed(bool is_target, std::uint32_t freed, std::uint32_t site) {
  if (!site || !is_new(Kind::outside, site)) return;
  const std::string where =
      is_of_library(freed) ? "before, as by a vector that has grown" : "at " + source_line(freed);
  report("memory", "copy at %s: its %s is memory of the host that was freed %s",
         source_line(site).c_str(), is_target ? "target" : "source", where.c_str());
}

void report_copy_overlaps(std::size_t bytes, std::uint32_t site) {
  if (site && is_new(Kind::outside, site))
    report("memory",
           "copy at %s: source and target have %s bytes in common, and a GPU may overwrite them "
           "before it "
           "reads them: copy to another buffer first",
           source_line(site).c_str(), with_commas(bytes).c_str());
}

void report_copy_of_heap(std::uint32_t site) {
  if (is_new(Kind::outside, site))
    report("memory",
           "copy at %s: the heap of kernels is closed to cudaMemcpy: let a kernel copy from it",
           source_line(site).c_str());
}

namespace {

// Of one call of the program to std::sort() a single line is told.
bool moves_to_program(std::uint32_t &site) {
  const std::uint32_t of_library = std::exchange(site, site_in_program(site));
  return site != of_library;
}

}  // namespace

void report_host_read(const char *address, std::size_t bytes, std::uint32_t copy,
                      std::uint32_t site) {
  if (leaves_out_blocks() || !is_new(Kind::uninitialised, 0, copy, site)) return;
  if (moves_to_program(site) && !is_new(Kind::uninitialised, 0, copy, site)) return;
  const std::string from = copy ? ", copied at " + source_line(copy) : "";
  report("uninitialised", "%s: the host reads at %s what was never written since cudaMalloc%s",
         place_of(address, bytes).text.c_str(), source_line(site).c_str(), from.c_str());
}

void report_past_vector(const Access &access, std::uint32_t site) {
  if (!is_new(Kind::outside, site)) return;
  if (moves_to_program(site) && !is_new(Kind::outside, site)) return;
  report("memory", "memory of a library, as of a vector: %s %s past its end at %s",
         access.writes ? "the host or an algorithm writes" : "the host or an algorithm reads",
         bytes_text(access.bytes).c_str(), source_line(site).c_str());
}

void report_asynchrony(const Asynchrony &found) {
  const std::uint32_t earlier = found.earlier.range.site;
  if (!is_new(Kind::asynchrony, 0, earlier, found.now.site)) return;
  Range now = found.now;
  const bool is_of_host = !Clocks::works();
  if (is_of_host && moves_to_program(now.site) && !is_new(Kind::asynchrony, 0, earlier, now.site))
    return;
  const auto side = [](const Task &task, const Range &range) {
    const char *verb = range.use == Use::writes    ? "writes"
                       : range.use == Use::updates ? "updates atomically"
                                                   : "reads";
    return task.title + " " + (task.verb.empty() ? verb : task.verb) + " at " +
           source_line(range.site);
  };
  const char *begin = std::max(found.earlier.range.begin, now.begin);
  const Place place =
      is_memory_of_array(begin)
          ? Place{state().global.contains(begin) ? "an array" : "memory of the host", ""}
          : place_of(begin, 4);
  const Task &first = *found.earlier.task;
  report(first.is_staged ? "warning" : "race", "%s: %s; %s; %s", place.text.c_str(),
         side(first, found.earlier.range).c_str(), side(found.task, now).c_str(),
         found.missing.c_str());
  if (!first.is_staged)
    describe_race(place.buffer,
                  {verb_name(found.earlier.range.use), source_line(earlier)},
                  {verb_name(now.use), source_line(now.site)});
}

void report_early_question(std::uint32_t record, std::uint32_t site) {
  if (is_new(Kind::asynchrony, 0, record, site))
    report("error",
           "cudaEventElapsedTime at %s: the event recorded at %s may not have happened yet, and "
           "then there "
           "is no time: call cudaEventSynchronize() first",
           source_line(site).c_str(), source_line(record).c_str());
}

namespace {

// What one call of the program has allocated and nobody has freed.
struct Leak {
  std::string title;
  std::size_t buffers = 0, bytes = 0;
};

}  // namespace

void report_leaks() {
  std::map<std::uint32_t, std::size_t> of_site;
  std::vector<std::pair<std::uint32_t, Leak>> leaks;  // in the order of the first allocation
  const auto add = [&](std::uint32_t site, const std::string &title, std::size_t bytes) {
    const auto [found, is_new] = of_site.try_emplace(site, leaks.size());
    if (is_new || !site) leaks.push_back({site, {title, 0, 0}});
    Leak &leak = leaks[site ? found->second : leaks.size() - 1].second;
    ++leak.buffers;
    leak.bytes += bytes;
  };
  for (const Buffer &buffer : state().buffers.never_freed())
    add(buffer.made_at, title_of(buffer), buffer.bytes);
  for (const HostSpan &buffer : host_buffers_left())
    add(site_of(buffer.made_by), title_of(buffer), buffer.bytes);
  for (const auto &[site, leak] : leaks) {
    const std::string place = site ? ", allocated at " + line_in_kernel(site) + "," : "";
    if (leak.buffers == 1)
      report("leak", "%s%s was never freed", leak.title.c_str(), place.c_str());
    else
      report("leak", "%s%s and %zu more from that line (%s bytes in all) were never freed",
             leak.title.c_str(), place.c_str(), leak.buffers - 1, with_commas(leak.bytes).c_str());
  }
  state().device_heap.report_leaks();
}

}  // namespace cuda_on_cpu::check
