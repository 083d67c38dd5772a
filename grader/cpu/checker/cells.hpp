// The records of one word of memory, and how an access changes them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

// `offset`: where the accessed bytes are in their page. They are a whole cell, or in one word.
// Reports the races that the access completes.
void touch_cells(Page &page, std::size_t offset, const Touch &touch);

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
void note_lost_read(const char *address, std::uint32_t epoch, std::uint32_t site, std::uint16_t who,
                    std::uint16_t clock);
inline bool compares_and_swaps = false;

inline const char *last_word(const char *address, std::size_t bytes) {
  return address + bytes - std::min<std::size_t>(bytes, 4);
}

// Is `earlier` ordered before `now` by a barrier, or of the same thread? A record before `oldest`
// has no meaning any more.
inline bool is_past(const Record &earlier, const Record &now, std::uint32_t oldest,
                    std::uint32_t block_begin) {
  if (earlier.epoch == now.epoch) return earlier.same_thread(now);
  return earlier.epoch < oldest || (earlier.epoch >= block_begin && earlier.epoch < now.epoch);
}

// Number by number: a record that was just made is in registers. To copy it whole, the processor
// would have to wait until its parts are in memory.
__attribute__((always_inline)) inline void put(Record &to, const Record &from) {
  const std::uint32_t rest = from.who | static_cast<std::uint32_t>(from.clock) << 16;
  to.epoch = from.epoch;
  to.site = from.site;
  std::memcpy(&to.who, &rest, sizeof rest);
}

// When the records of a cell are looked at: those from before `oldest` have no meaning any more,
// and on a page whose latest access of a kind was before, none of that kind has.
struct Since {
  std::uint32_t oldest, block_begin;
  bool any_reads, any_writes;
};

// What touch_cells() does for a whole cell of `bytes` bytes with a plain access, when barriers are
// enough to say that no record of the cell races with the access. Otherwise it does nothing and
// returns false. Slots fill up from the first to the last: if one has no meaning, the next ones
// have none. `kind` is how far apart the slots of a cell are.
template <bool writes>
__attribute__((always_inline)) inline bool touch_cell_quickly(Record *cell, std::size_t kind,
                                                              const char *word, const Record &now,
                                                              const Since &since) {
  const auto is_over = [&](const Record &r) { return r.epoch < since.oldest; };
  const auto past = [&](const Record &r) {
    return is_past(r, now, since.oldest, since.block_begin);
  };
  Record &first = cell[0], &second = cell[kind], &written = cell[2 * kind];
  if (since.any_writes && !is_over(written)) {
    if (!past(written)) return false;
    const Record &other = cell[3 * kind];
    if (!is_over(other) && !(past(other) && past(cell[4 * kind]))) return false;
  }
  Record *to = &written;
  if (writes) {
    if (since.any_reads && !is_over(first) && !(past(first) && past(second))) return false;
  } else if (past(first)) {
    to = &first;
  } else if (past(second) || second.strength() != Strength::plain ||
             (first.epoch == second.epoch && first.same_warp(second))) {
    to = &second;
  } else {
    if (compares_and_swaps) [[unlikely]]
      note_lost_read(word, now.epoch, now.site, now.who, now.clock);
    return true;
  }
  put(*to, now);
  return true;
}

}  // namespace cuda_on_cpu::check
