// What the checker remembers about a memory cell: who accessed it last, and in which interval of
// the program's time.
#pragma once

#include <array>
#include <cstdint>

namespace cuda_on_cpu::check {

// Two accesses that are both atomic are never a race. A volatile access to global memory is nearly
// atomic: programs poll flags this way.
//
// `atomic_in_block`: atomicAdd_block() and its kind, which are atomic only among the block's
// threads.
enum class Strength : std::uint16_t { plain, is_volatile, atomic_in_block, atomic };

// Of an atomic: those of four and of eight bytes at one place are not atomic to each other. Of any
// other access, and of a read that counts as atomic, it is unknown.
enum class Width : std::uint16_t { unknown, four, eight };

struct Record {
  std::uint32_t epoch = 0;  // block and barrier interval, see Timeline; 0: no access yet
  std::uint32_t site = 0;   // the instruction, see source_line.hpp
  std::uint16_t who = 0;    // thread of the block, strength, width
  std::uint16_t clock = 0;  // of the thread, counts its warp synchronisations

  unsigned thread() const { return who & 1023; }
  unsigned lane() const { return who & 31; }
  Strength strength() const { return static_cast<Strength>(who >> 10 & 3); }
  Width width() const { return static_cast<Width>(who >> 12); }
  bool same_warp(const Record &other) const { return ((who ^ other.who) & 1023) < 32; }
  bool same_thread(const Record &other) const { return ((who ^ other.who) & 1023) == 0; }
  bool same_moment(const Record &other) const {
    return epoch == other.epoch && who == other.who && clock == other.clock;
  }
};

inline std::uint16_t pack_who(unsigned thread, Strength strength, Width width = Width::unknown) {
  return static_cast<std::uint16_t>(thread | static_cast<unsigned>(strength) << 10 |
                                    static_cast<unsigned>(width) << 12);
}

inline bool differ_in_width(const Record &a, const Record &b) {
  return a.width() != b.width() && a.width() != Width::unknown && b.width() != Width::unknown;
}

// Why a fixed number of records is enough: a new record may replace one that is ordered before it,
// because whatever races with the old one also races with the new one. Among records that are not
// ordered, two of different threads are enough: a later access comes from at most one of these
// threads, and races with the other.
struct Cell {
  std::array<Record *, 3> writes;
  std::array<Record *, 2> reads;
};

}  // namespace cuda_on_cpu::check
