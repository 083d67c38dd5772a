#include "call_paths.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "source_line.hpp"
#include "threads/block.hpp"

namespace cuda_on_cpu::check {
namespace {

constexpr std::size_t kDeepest = 24;

using Sites = std::vector<std::uint32_t>;
using Places = std::vector<std::string>;

struct Path {
  Site barrier;
  Sites sites;  // the innermost first
};

struct Known {
  std::uint64_t hash;
  unsigned number;
};
constexpr unsigned kRecentBits = 6;

std::vector<Path> paths(1);  // number 0 is none
std::unordered_map<std::uint64_t, unsigned> number_of;  // by the hash of the return addresses
std::array<Known, 1 << kRecentBits> recently;

// How far below the top of a stack the outermost frame is: that of the loop over a block's threads,
// the same on all stacks. Its callers are the runtime, which has no frame pointers.
std::size_t outermost = 0;

// Calls visit(return address), the innermost first.
template <class Visit>
inline void for_each_call(const void *return_address, const void *frame, Visit visit) {
  const Fiber &fiber = *current_block().running_fiber();
  const char *const top = fiber.stack_low + fiber.stack_bytes;
  const char *const end = top - std::max(outermost, 2 * sizeof(void *));
  visit(return_address);
  const void *before = fiber.stack_low;
  for (std::size_t depth = 1; depth < kDeepest && frame > before && frame < end; ++depth) {
    const auto *saved = static_cast<const void *const *>(frame);
    if (reinterpret_cast<std::uintptr_t>(saved) % sizeof(void *)) break;
    visit(saved[1]);
    before = frame;
    frame = saved[0];
  }
  if (!outermost && before != fiber.stack_low)
    outermost = static_cast<std::size_t>(top - static_cast<const char *>(before));
}

Places places_of(Sites::const_iterator begin, Sites::const_iterator end) {
  Places places;
  for (; begin != end; ++begin)
    for (const std::string &place : source_places(*begin)) places.push_back(place);
  return places;
}

// The places of both, without the addresses at either end that they have in common.
std::pair<Places, Places> different_places(const Sites &a, const Sites &b) {
  const auto [a_begin, b_begin] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  auto a_end = a.end(), b_end = b.end();
  while (a_end != a_begin && b_end != b_begin && a_end[-1] == b_end[-1]) --a_end, --b_end;
  return {places_of(a_begin, a_end), places_of(b_begin, b_end)};
}

bool is_of(const Path &path, Site barrier) {
  return path.barrier.line == barrier.line && path.barrier.file == barrier.file;
}

unsigned number_of_new(Site barrier, Sites sites) {
  for (unsigned number = 1; number < paths.size(); ++number) {
    if (!is_of(paths[number], barrier)) continue;
    const auto [mine, other] = different_places(sites, paths[number].sites);
    if (mine == other) return number;
  }
  paths.push_back({barrier, std::move(sites)});
  return static_cast<unsigned>(paths.size() - 1);
}

}  // namespace

unsigned call_path(Site barrier, const void *return_address, const void *frame) {
  std::uint64_t hash = 0;
  for_each_call(return_address, frame, [&](const void *call) {
    hash = std::rotl(hash, 11) + reinterpret_cast<std::uintptr_t>(call);
  });
  hash *= 0x9e3779b97f4a7c15u;
  Known &recent = recently[hash >> (64 - kRecentBits)];
  if (recent.hash == hash) [[likely]] return recent.number;
  const auto [known, is_new] = number_of.try_emplace(hash);
  if (is_new) {
    Sites sites;
    for_each_call(return_address, frame, [&](const void *call) { sites.push_back(site_of(call)); });
    known->second = number_of_new(barrier, std::move(sites));
  }
  recent = {hash, known->second};
  return recent.number;
}

const char *line_of_path(unsigned path, unsigned other) {
  static std::string line;
  const auto [mine, others] = different_places(paths[path].sites, paths[other].sites);
  const auto at = std::mismatch(mine.begin(), mine.end(), others.begin(), others.end()).first;
  line = at == mine.end() ? "" : line_of_place(*at);
  return line.c_str();
}

}  // namespace cuda_on_cpu::check
