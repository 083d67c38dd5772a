// Which accesses of a warp's lanes were one instruction on a GPU. The lanes ran one after another
// here, so this is found afterwards: the n-th time that a lane came to an instruction since the
// last synchronisation belongs to the n-th time of every other lane.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "paths.hpp"
#include "requests.hpp"
#include "tally.hpp"

namespace cuda_on_cpu::count {

struct LaneAccess {
  std::uint64_t address;
  unsigned bytes;  // at most 16
  unsigned piece;  // of a larger object, from 0
  Instruction instruction;
};

class Warp {
 public:
  void begin_launch(std::uint32_t lanes, Kernel &kernel);
  void begin_block() { paths_.begin(&kernel_->start, existing_); }
  void end_block();
  void add(unsigned lane, const LaneAccess &access);
  // The lane begins a round of a loop that does nothing but wait. How many rounds it takes depends
  // on who runs meanwhile. So what the round before has looked at is not counted again, unless it
  // has changed.
  void waits(unsigned lane) { waiting_[lane] = true; }
  void synchronise_lanes(std::uint32_t lanes);
  void settle();  // counts requests that are still incomplete: no more lanes will join them

 private:
  // Lanes that have synchronised with each other, but not with the whole warp, are in a later
  // stretch.
  struct Key {
    Instruction instruction;
    unsigned bytes, piece, stretch;
    auto operator<=>(const Key &) const = default;
  };
  struct Open {
    Request request;
    Junction *junction = nullptr;  // of the first piece
  };
  struct Slot {
    Key key;
    Sums *sums = nullptr;
    Slot *follower = nullptr;                   // the slot that a lane came to next, the last time
    std::array<std::uint32_t, kLanes> times{};  // how often each lane came here
    std::uint32_t settled = 0;                  // requests that are already counted
    std::vector<Open> open;                     // the others, from `head` on
    std::size_t head = 0;
    bool in_use = false;
  };
  Slot &slot_for(unsigned lane, const Key &key);
  Slot &look_up(const Key &key);
  void account(Slot &slot, const Open &open);
  bool is_polled_again(unsigned lane, const Key &key, std::uint64_t address);

  struct Look {
    std::uint64_t address = 0;
    std::array<char, 16> bytes{};  // what was there
    auto operator<=>(const Look &) const = default;
  };

  Kernel *kernel_ = nullptr;
  std::uint32_t existing_ = 0;
  std::array<unsigned, kLanes> stretch_{};
  std::array<Slot *, kLanes> last_{};  // each lane's last slot
  std::array<Look, kLanes> last_look_{};
  std::array<bool, kLanes> waiting_{};  // since its last access
  std::map<Key, Slot> slots_;
  std::vector<Slot *> in_use_;  // since the last settle()
  Paths paths_;
};

}  // namespace cuda_on_cpu::count
