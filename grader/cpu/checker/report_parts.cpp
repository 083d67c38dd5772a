#include "report_parts.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "clusters.hpp"
#include "device/host_memory.hpp"
#include "messages/failures.hpp"
#include "messages/text.hpp"
#include "source_line.hpp"
#include "state.hpp"

namespace cuda_on_cpu::check {
namespace {

std::set<std::tuple<Kind, Memory, std::uint32_t, std::uint32_t>> seen_sites;
std::set<std::tuple<Kind, Memory, std::string, std::string>> seen_lines;

}  // namespace

// Sites first: they are known for every access, but lines have to be looked up.
bool is_new(Kind kind, Memory memory, std::uint32_t a, std::uint32_t b, const char *verb_a,
            const char *verb_b) {
  if (!seen_sites.insert({kind, memory, std::min(a, b), std::max(a, b)}).second) return false;
  const std::string first = source_line(a) + verb_a, second = source_line(b) + verb_b;
  return seen_lines.insert({kind, memory, std::min(first, second), std::max(first, second)}).second;
}
bool is_new(Kind kind, std::uint32_t site) { return is_new(kind, 0, site, site); }

bool is_new_line(Kind kind, const char *file, unsigned line) {
  return seen_lines.insert({kind, 0, file, std::to_string(line)}).second;
}
void forget_seen() {
  seen_sites.clear();
  seen_lines.clear();
}

Place place_of(const char *address, std::size_t bytes) {
  const State &known = state();
  if (known.device_heap.contains(address)) return known.device_heap.place(address, bytes);
  if (known.shared && known.shared->contains(address)) {
    Place place = place_in(known.shared_memory, in_first_window(address), bytes);
    if (known.cluster.blocks)
      place.text += " of block " + std::to_string(rank_at(address)) + " of the cluster";
    return place;
  }
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

bool is_of_program(const HeapBlock &block) {
  return block.site && !is_of_library(block.site) && source_line(block.site) != "?";
}

std::string heap_block_text(const HeapBlock &block) {
  return "a heap block of " + with_commas(block.bytes) + " bytes" +
         (is_of_program(block) ? " allocated at " + source_line(block.site) : "");
}

}  // namespace cuda_on_cpu::check
