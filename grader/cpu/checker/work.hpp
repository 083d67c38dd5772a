// How a launch's accesses to memory are shared among its threads. A kernel in which one thread does
// everything gives right answers, but is no parallel algorithm.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "base/hooks.hpp"

namespace cuda_on_cpu::check {

// How many different places a thread has written, about: one in 16 of them leaves a mark.
class WrittenPlaces {
 public:
  void add(const char *address) {
    const auto word = reinterpret_cast<std::uint64_t>(address) / 4;
    const std::uint64_t hash = word * 0x9E3779B97F4A7C15u;
    if (hash >> 60 == 0) marks_[hash >> 59 & 1] |= std::uint64_t{1} << (hash >> 53 & 63);
  }
  std::uint64_t count() const;

 private:
  std::array<std::uint64_t, 2> marks_{};
};

// What one thread of a block has done.
struct Share {
  std::uint32_t accesses = 0;
  std::uint32_t words = 0;               // of four bytes or less, that it wrote to memory of others
  const char *last_written = nullptr;    // a counter in memory is one word
  const char *low = nullptr, *high = nullptr;  // of its stack it has used what is between
  WrittenPlaces places;                        // since the launch has begun

  // The accesses of a thread that moves what it reads, as a serial sort does: some for each word
  // that it writes. One that reads all and writes a word, its rank for example, has made few.
  std::uint64_t moving() const;
  // Those of a thread that reads for many places, as a serial search does: some for each place. One
  // that writes its own elements, however often, has few places.
  std::uint64_t wide() const;

 private:
  std::uint64_t kept_words() const;  // in a local array
};

class WorkShares {
 public:
  void begin_launch() { by_thread_.fill({}), aside_.clear(); }
  void note(unsigned thread, std::size_t bytes = 0) {
    by_thread_[thread].accesses += bytes > 16 ? static_cast<std::uint32_t>((bytes + 15) / 16) : 1;
  }
  // A thread of a GPU moves up to 16 bytes by one access.
  void note_in_buffers(std::size_t bytes) { work_.in_buffers += (bytes + 15) / 16; }
  void note_own_memory() { ++work_.own_memory; }
  void note_variables(std::size_t bytes) { work_.variable_bytes = bytes; }
  void note_write(unsigned thread, const char *address, std::size_t bytes) {
    ++work_.writes;
    Share &share = by_thread_[thread];
    if (share.last_written == address) return;
    share.words += static_cast<std::uint32_t>((bytes + 3) / 4);
    share.places.add(address);
    share.last_written = address;
  }
  // A constant is as good as an argument, unless it is a copy of what is in device memory.
  void note_constant() { ++(constants_are_copies_ ? work_.own_memory : work_.own_stacks); }
  void note_copy_to_constants() { constants_are_copies_ = true; }
  void note_own_stack(unsigned thread, const char *address) {  // memory of no one else
    ++work_.own_stacks;
    Share &share = by_thread_[thread];
    if (!share.low || address < share.low) share.low = address;
    if (address > share.high) share.high = address;
  }
  void leave_block(bool goes_on = false);  // another block runs now, or none, or it goes on
  void put_aside(std::uint64_t block);  // it has not ended: others run in between
  void take_up(std::uint64_t block);
  void pass_grid();    // every thread of the launch has arrived here, or at its end
  Work take();         // since the last call

 private:
  using Shares = std::array<Share, 1024>;
  Shares by_thread_{};  // of the running block
  std::unordered_map<std::uint64_t, Shares> aside_;
  // Since pass_grid(): accesses of all threads, the number of threads that made any, and the most
  // of one.
  std::uint64_t accesses_ = 0, hands_ = 0, busiest_ = 0, mover_ = 0;
  bool constants_are_copies_ = false;
  Work work_{};
};

}  // namespace cuda_on_cpu::check
