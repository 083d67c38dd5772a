// How a launch's accesses to memory are shared among its threads. A kernel in which one thread does
// everything gives right answers, but is no parallel algorithm.
#pragma once

#include <algorithm>
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

// Accesses that had to be made one after another: each by the thread that made the one before, or
// by one that had waited for it. Where threads share the work, a chain is short. A serial algorithm
// that they hand on to each other is one chain.
struct Chain {
  std::uint32_t accesses = 0, moving = 0;  // these as Share::moving(), but for local arrays

  void join(const Chain &other) {
    accesses = std::max(accesses, other.accesses);
    moving = std::max(moving, other.moving);
  }
};

// What one thread of a block has done. Its chain is brought up to date only where threads wait for
// each other: at each access it would take a fifth of the checker's time.
struct Share {
  std::uint32_t accesses = 0;
  std::uint32_t words = 0;               // of four bytes or less, that it wrote to memory of others
  Chain chain;                           // the longest that led to here when it was settled
  std::uint32_t chained = 0, moved = 0;  // its own part of the chain, of accesses and of moving
  const char *last_written = nullptr;    // a counter in memory is one word
  const char *low = nullptr, *high = nullptr;  // of its stack it has used what is between
  WrittenPlaces places;                        // since the launch has begun

  // The accesses of a thread that moves what it reads, as a serial sort does: some for each word
  // that it writes. One that reads all and writes a word, its rank for example, has made few.
  std::uint64_t moving() const;
  // Those of a thread that reads for many places, as a serial search does: some for each place. One
  // that writes its own elements, however often, has few places.
  std::uint64_t wide() const;
  // Its chain goes on by what it did since, from `begin` if that is further.
  const Chain &settle(const Chain &begin);

 private:
  static constexpr std::uint32_t kForEachWord = 16;
  std::uint64_t kept_words() const;  // in a local array
};

inline const Chain &Share::settle(const Chain &begin) {
  chain.join(begin);
  chain.accesses += accesses - chained;
  chained = accesses;
  const std::uint32_t moving = std::min(accesses, kForEachWord * words);
  chain.moving += moving - moved;
  moved = moving;
  return chain;
}

class WorkShares {
 public:
  void begin_launch();
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
  void pass_barrier(unsigned threads);  // of the running block, which has so many
  void begin_cluster();
  void pass_cluster();  // every thread of the blocks of a cluster has arrived here, or at its end
  void synchronise_lanes(unsigned warp, unsigned lanes);
  // A thread publishes what it did by a flag, and another one sees it.
  void publish(unsigned thread, const void *flag) { flags_[flag].join(settle(thread)); }
  void see(unsigned thread, const void *flag) {
    if (flags_.empty()) return;
    const auto found = flags_.find(flag);
    if (found == flags_.end()) return;
    settle(thread);
    by_thread_[thread].chain.join(found->second);
  }
  void leave_block(bool goes_on = false);  // another block runs now, or none, or it goes on
  void put_aside(std::uint64_t block);  // it has not ended: others run in between
  void take_up(std::uint64_t block);
  void pass_grid();    // every thread of the launch has arrived here, or at its end
  Work take();         // since the last call

 private:
  using Shares = std::array<Share, 1024>;
  struct Aside {
    Shares by_thread;
    Chain passed, reached;
  };
  const Chain &settle(unsigned thread) { return by_thread_[thread].settle(passed_); }

  Shares by_thread_{};  // of the running block
  Chain passed_, reached_;  // the longest to its last barrier, and that of its settled threads
  Chain cluster_passed_, cluster_reached_;  // the same of its cluster, whose blocks run in turn
  std::unordered_map<std::uint64_t, Aside> aside_;
  std::unordered_map<const void *, Chain> flags_;
  // Since pass_grid(): accesses of all threads, the number of threads that made any, the most
  // of one, and the longest chain.
  std::uint64_t accesses_ = 0, hands_ = 0, busiest_ = 0, mover_ = 0, chain_ = 0;
  bool constants_are_copies_ = false;
  Work work_{};
};

}  // namespace cuda_on_cpu::check
