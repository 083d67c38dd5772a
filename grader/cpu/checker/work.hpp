// How a launch's accesses to memory are shared among its threads. A kernel in which one thread does
// everything gives right answers, but is no parallel algorithm.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/hooks.hpp"

namespace cuda_on_cpu::check {

class WorkShares {
 public:
  void begin_launch() { by_thread_.fill(0); }
  void note(unsigned thread) { ++by_thread_[thread]; }
  // A thread of a GPU moves up to 16 bytes by one access.
  void note_in_buffers(std::size_t bytes) { work_.in_buffers += (bytes + 15) / 16; }
  void note_own_memory() { ++work_.own_memory; }
  void note_variables(std::size_t bytes) { work_.variable_bytes = bytes; }
  void note_write() { ++work_.writes; }
  // A constant is as good as an argument, unless it is a copy of what is in device memory.
  void note_constant() { ++(constants_are_copies_ ? work_.own_memory : work_.own_stacks); }
  void note_copy_to_constants() { constants_are_copies_ = true; }
  void note_own_stack(bool writes) {  // which is memory of no one else: no write
    ++work_.own_stacks;
    work_.writes -= writes;
  }
  void leave_block();  // another block runs now, or none
  void pass_grid();    // every thread of the launch has arrived here, or at its end
  Work take();         // since the last call

 private:
  std::array<std::uint32_t, 1024> by_thread_{};  // of the running block
  // Since pass_grid(): accesses of all threads, the number of threads that made any, and the most
  // of one. A block that comes back after others counts its threads again.
  std::uint64_t accesses_ = 0, hands_ = 0;
  std::uint32_t busiest_ = 0;
  bool constants_are_copies_ = false;
  Work work_{};
};

}  // namespace cuda_on_cpu::check
