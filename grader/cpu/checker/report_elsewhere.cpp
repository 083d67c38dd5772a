// Accesses of kernels to memory that is no buffer's: of the host, of libraries, of other threads
// and blocks, or of nobody.
#include <sys/mman.h>

#include "device/host_memory.hpp"
#include "messages/diagnostics.hpp"
#include "messages/failures.hpp"
#include "messages/findings.hpp"
#include "messages/text.hpp"
#include "report.hpp"
#include "report_parts.hpp"
#include "source_line.hpp"
#include "state.hpp"
#include "threads/block.hpp"

namespace cuda_on_cpu::check {

void report_local_of_another(const Access &access, std::uint32_t site) {
  const Fiber &own = *current_block().running_fiber();
  const bool is_own =
      access.address >= own.stack_low && access.address < own.stack_low + own.stack_bytes;
  if (is_new(Kind::host, site))
    report(
        "memory", "local memory: %s %s %s at %s, %s", here().c_str(), verb_of(access),
        bytes_text(access.bytes).c_str(), line_in_kernel(site).c_str(),
        is_own
            ? "a variable of a function that has returned, or of a block of code that has ended"
            : "a variable of another thread, which has no address for this one on a GPU: hand its "
              "value over in shared memory");
}

namespace {

bool is_mapped(const char *address) {
  const auto page = reinterpret_cast<std::uintptr_t>(address) / kPageBytes * kPageBytes;
  return msync(reinterpret_cast<void *>(page), 1, MS_ASYNC) == 0;
}

// No system gives a program this memory.
bool is_near_null(const char *address) {
  return reinterpret_cast<std::uintptr_t>(address) < 1 << 16;
}

// In another block of the host's heap, and farther away than the buffer is large: no wrong index.
bool is_of_another(const HostSpan &near, const char *address) {
  const bool is_far = address < near.begin ? address + near.bytes < near.begin
                                           : address >= near.begin + 2 * near.bytes;
  return is_far && state().host_heap.block_at(address);
}

// After memory of a library, and not in a block that the program has allocated after it.
bool is_past_vector(const char *address) {
  if (state().heap.bytes_past_end(address) >= kRoomOfLibrary) return false;
  const auto block = state().host_heap.block_at(address);
  const bool is_other = block && block->begin > state().heap.block_before(address)->begin;
  return !is_other || !is_of_program(*block);
}

// Of the host: in a block, or a little past its end.
std::string place_in_heap(const char *address) {
  constexpr std::size_t kNear = 256;
  const auto block = state().host_heap.block_before(address);
  if (!block) return "";
  const std::size_t offset = address - block->begin;
  if (offset < block->bytes) return ", in " + heap_block_text(*block);
  if (offset - block->bytes >= kNear) return "";
  return ", " + bytes_text(offset - block->bytes) + " past the end of " + heap_block_text(*block);
}

}  // namespace

void report_host_memory(const Access &access, std::uint32_t site) {
  const HostSpan near = nearest_host_buffer(access.address);
  if (near.begin && !is_of_another(near, access.address)) {
    const Place place = place_in(near, access.address, access.bytes);
    if (is_new(Kind::host, site))
      report("memory", "%s: %s %s %s %s at %s", place.text.c_str(), here().c_str(), verb_of(access),
             bytes_text(access.bytes).c_str(), place.outside.c_str(), line_in_kernel(site).c_str());
    return;
  }
  if (!is_new(Kind::host, site)) return;
  if (const HostSpan freed = freed_host_buffer(access.address); freed.begin)
    report("memory", "%s: %s %s %s after %s at %s",
           place_in(freed, access.address, access.bytes).text.c_str(), here().c_str(),
           verb_of(access), bytes_text(access.bytes).c_str(),
           freed.type == cudaMemoryTypeManaged ? "cudaFree" : "cudaFreeHost",
           line_in_kernel(site).c_str());
  else if (const std::size_t room = state().heap.room_at(access.address); room < access.bytes)
    report("memory", "memory of a library: %s %s %s at %s, of which only %zu are there",
           here().c_str(), verb_of(access), bytes_text(access.bytes).c_str(),
           line_in_kernel(site).c_str(), room);
  else if (is_past_vector(access.address))
    report("memory", "memory of a library, as of a vector: %s %s %s past its end at %s",
           here().c_str(), verb_of(access), bytes_text(access.bytes).c_str(),
           line_in_kernel(site).c_str());
  else if (!is_mapped(access.address))
    report("memory", "no memory: %s %s %s at %s, where the program has none: %s", here().c_str(),
           verb_of(access), bytes_text(access.bytes).c_str(), line_in_kernel(site).c_str(),
           is_near_null(access.address) ? "the pointer is null" : "an index or a pointer is wrong");
  else
    report("memory", "host memory: %s %s %s at %s%s; a kernel can only use memory of the device",
           here().c_str(), verb_of(access), bytes_text(access.bytes).c_str(),
           line_in_kernel(site).c_str(), place_in_heap(access.address).c_str());
}

void report_shared_of_another(const Access &access, std::uint32_t site) {
  if (is_new(Kind::host, site))
    report("memory",
           "%s: %s reads a pointer to shared memory at %s that another block has left there: a "
           "block can "
           "only use its own shared memory. Hand the values over in global memory",
           place_of(access.address, access.bytes).text.c_str(), here().c_str(),
           line_in_kernel(site).c_str());
}

void report_shared_of_earlier_launch(const Access &access, std::uint32_t site) {
  if (is_new(Kind::host, site))
    report("memory",
           "shared memory of an earlier launch: %s %s %s at %s by a pointer from there: shared "
           "memory ends "
           "with its block. Hand the values over in global memory",
           here().c_str(), verb_of(access), bytes_text(access.bytes).c_str(),
           line_in_kernel(site).c_str());
}

}  // namespace cuda_on_cpu::check
