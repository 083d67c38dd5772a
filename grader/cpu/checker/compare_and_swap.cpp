#include "compare_and_swap.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "cells.hpp"
#include "kernel_heap.hpp"
#include "state.hpp"

namespace cuda_on_cpu::check {
namespace {

struct OpenRead {
  Race race;
  Record reader;
};
// By word. Each pair of lines once: the block's threads may all read at one line. There are many,
// so they are in no list of blocks.
using OpenReads = std::vector<OpenRead, Unlisted<OpenRead>>;
std::map<const char *, OpenReads, std::less<>, Unlisted<std::pair<const char *const, OpenReads>>>
    open_reads;
// Of blocks that are over, by the line that reads and the other one.
std::map<std::pair<std::uint32_t, std::uint32_t>, OpenRead> settled_reads;
// lines that read what their thread then compared and swapped
std::set<std::uint32_t> compared_sites;
// Of the program's first launch with an atomicCAS: words that a thread compared whose read was not
// kept.
bool is_first_launch = false;
std::set<const char *> compared_unseen;

bool same_race(const OpenRead &a, const OpenRead &b) {
  return a.race.earlier.site == b.race.earlier.site && a.race.now.site == b.race.now.site &&
         a.reader.same_moment(b.reader);
}

}  // namespace

void decide_when_compared(const Race &race, const Record &reader) {
  OpenReads &reads = open_reads[race.address];
  const OpenRead read{race, reader};
  if (std::none_of(reads.begin(), reads.end(),
                   [&](const OpenRead &old) { return same_race(old, read); }))
    reads.push_back(read);
}

void note_compared(const char *address, std::size_t bytes) {
  if (!compares_and_swaps) is_first_launch = compares_and_swaps = true;
  const Record now = state().timeline.now(current_thread(), Strength::plain, 0);
  for (auto at = open_reads.lower_bound(address);
       at != open_reads.end() && at->first < address + bytes; ++at)
    for (const OpenRead &read : at->second)
      if (read.reader.epoch == now.epoch && read.reader.same_thread(now))
        compared_sites.insert(read.reader.site);
  if (!forgive_reads(address, bytes, now, compared_sites) && is_first_launch)
    for (std::size_t i = 0; i < bytes; i += 4) compared_unseen.insert(address + i);
}

void settle_plain_reads() {
  for (const auto &[address, reads] : open_reads)
    for (const OpenRead &read : reads) {
      const Record &reader = read.reader;
      const Record &other = reader.same_moment(read.race.now) ? read.race.earlier : read.race.now;
      settled_reads.emplace(std::pair(reader.site, other.site), read);
    }
  open_reads.clear();
}

void report_plain_reads() {
  settle_plain_reads();
  for (const auto &[sites, read] : settled_reads)
    if (!compared_sites.contains(sites.first) && !compared_unseen.contains(read.race.address))
      report_race(read.race);
  settled_reads.clear();
  compared_sites.clear();
  compared_unseen.clear();
  is_first_launch = false;
}

}  // namespace cuda_on_cpu::check
