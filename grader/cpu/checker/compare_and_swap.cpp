#include "compare_and_swap.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "cells.hpp"
#include "state.hpp"

namespace cuda_on_cpu::check {
namespace {

struct OpenRead {
  Race race;
  Record reader;
};
// By word. Each pair of lines once: the block's threads may all read at one line.
std::map<const char *, std::vector<OpenRead>> open_reads;

bool same_race(const OpenRead &a, const OpenRead &b) {
  return a.race.earlier.site == b.race.earlier.site && a.race.now.site == b.race.now.site &&
         a.reader.same_moment(b.reader);
}

}  // namespace

void decide_when_compared(const Race &race, const Record &reader) {
  std::vector<OpenRead> &reads = open_reads[race.address];
  const OpenRead read{race, reader};
  if (std::none_of(reads.begin(), reads.end(),
                   [&](const OpenRead &old) { return same_race(old, read); }))
    reads.push_back(read);
}

void note_compared(const char *address, std::size_t bytes) {
  const Record now = state().timeline.now(current_thread(), Strength::plain, 0);
  for (auto at = open_reads.lower_bound(address);
       at != open_reads.end() && at->first < address + bytes; ++at)
    std::erase_if(at->second, [&](const OpenRead &read) {
      return read.reader.epoch == now.epoch && read.reader.same_thread(now);
    });
  forgive_reads(address, bytes, now);
}

void report_plain_reads() {
  for (const auto &[address, reads] : open_reads)
    for (const OpenRead &read : reads) report_race(read.race);
  open_reads.clear();
}

}  // namespace cuda_on_cpu::check
