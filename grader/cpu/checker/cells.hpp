// The records of one word of memory, and how an access changes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>

#include "shadow.hpp"

namespace cuda_on_cpu::check {

// A cell's memory, and the access that happens to it now.
struct Touch {
  const char *address;
  std::size_t bytes;
  Record now;
  bool writes;
  std::uint32_t oldest;  // records from before this epoch have no meaning any more
};

// `offset`: where the accessed bytes of the word are in their page. Reports the races that the
// access completes.
void touch_word(Page &page, std::size_t offset, std::size_t bytes, const Touch &touch);

// The plain reads of a word by a thread were harmless: an atomicCAS of the same thread follows.
// Adds the lines that read. Returns whether there are any.
bool forgive_reads(const char *address, std::size_t bytes, const Record &reader,
                   std::set<std::uint32_t> &sites);

// The last plain read of a thread that found no place in its word's cell, because the reads of
// others are kept there: an atomicCAS may follow. Known only of programs that have made one,
// because it takes as long as the rest of a read.
struct LostRead {
  const char *address = nullptr;
  Record record;
};
inline LostRead lost_reads[1024];  // by the thread's number in its block
inline bool compares_and_swaps = false;

// Is `earlier` ordered before `now` by a barrier, or of the same thread? A record before `oldest`
// has no meaning any more.
inline bool is_past(const Record &earlier, const Record &now, std::uint32_t oldest,
                    std::uint32_t block_begin) {
  if (earlier.epoch == now.epoch) return earlier.same_thread(now);
  return earlier.epoch < oldest || (earlier.epoch >= block_begin && earlier.epoch < now.epoch);
}

// Member by member: a record that was just made is in registers. To copy it whole, the processor
// would have to wait until its halves are in memory.
inline void put(Record &to, const Record &from) {
  to.epoch = from.epoch;
  to.site = from.site;
  to.who = from.who;
  to.clock = from.clock;
}

// What touch_word() does for a whole cell with a plain access, when barriers are enough to say that
// no record of the cell races with the access. Otherwise it does nothing and returns false.
template <bool writes>
__attribute__((always_inline)) inline bool touch_cell_quickly(Cell &cell, const char *address,
                                                              const Record &now,
                                                              std::uint32_t oldest,
                                                              std::uint32_t block_begin) {
  const auto past = [&](const Record &r) { return is_past(r, now, oldest, block_begin); };
  auto &[first, second] = cell.reads;
  // Slots fill up from the first to the last: if the first has no meaning, the others have none.
  if (cell.writes[0].epoch >= oldest &&
      !(past(cell.writes[0]) && past(cell.writes[1]) && past(cell.writes[2])))
    return false;
  if (writes) {
    if (!past(first) || !past(second)) return false;
    put(cell.writes[0], now);
  } else if (past(first)) {
    put(first, now);
  } else if (past(second) || second.strength() != Strength::plain ||
             (first.epoch == second.epoch && first.same_warp(second))) {
    put(second, now);
  } else if (compares_and_swaps) [[unlikely]] {
    lost_reads[now.thread()] = {address, now};
  }
  return true;
}

}  // namespace cuda_on_cpu::check
