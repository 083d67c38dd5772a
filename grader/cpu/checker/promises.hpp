// A value that is volatile, as is the flag that announces it, and no fence between the two writes.
// Neither access is a race, because programs may do so with each place alone; but the reader who
// has waited for the flag may still find the old value.
//
// Only who waits trusts in a flag: a thread in a loop that does nothing else (compiler/spins.py).
// So programs that read and write volatile numbers as they come are left alone.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "access.hpp"

namespace cuda_on_cpu::check {

class Promises {
 public:
  void begin_launch();
  void barrier();  // of the block: what one of its threads has waited for holds for all
  void waits();    // the running thread begins a round of a loop that only waits

  // A volatile or atomic access to global memory, before the cells hear of it.
  void note(const Access &access, const Record &now);

 private:
  struct Write {
    Record record;
    std::uint64_t number;      // in the order in which they happened
    std::uint32_t block_begin;  // of the thread that wrote
    bool is_volatile;
  };
  using Who = std::pair<std::uint32_t, unsigned>;  // the first epoch of a block, a thread
  static Who me();
  void trust(const Who &who, const char *flag);
  void judge(const Access &access, const Record &now, const std::vector<Write> &flags) const;

  std::unordered_map<const char *, Write> last_writes_;
  std::map<Who, std::vector<Write>> trusted_;  // flags that a thread has waited for, or its block
  std::map<Who, const char *> last_read_;
  std::uint64_t writes_ = 0;
  bool any_volatile_ = false;      // written in this launch
  Who waiting_ = kNobody;      // who has begun a round and has read nothing since
  static constexpr Who kNobody{0, 0};
  static constexpr unsigned kAll = ~0u;  // all threads of the block
};

}  // namespace cuda_on_cpu::check
