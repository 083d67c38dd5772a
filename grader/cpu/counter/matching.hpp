// Which accesses of a warp's lanes were one instruction on a GPU. The lanes ran one after another
// here, so this is found afterwards: the n-th time that a lane came to an instruction since the
// last synchronisation belongs to the n-th time of every other lane.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <deque>
#include <map>

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
  void begin_launch(std::uint32_t lanes) { existing_ = lanes; }
  void add(unsigned lane, const LaneAccess &access, Kernel &kernel);
  void synchronise_lanes(std::uint32_t lanes, Kernel &kernel);
  void settle(Kernel &kernel);  // what was not complete yet will not become so

 private:
  // Lanes that have synchronised among themselves, and not with the whole warp, are ahead.
  struct Key {
    Instruction instruction;
    unsigned bytes, piece, stretch;
    auto operator<=>(const Key &) const = default;
  };
  struct Slot {
    std::array<std::uint32_t, kLanes> times{};  // that a lane came here
    std::uint32_t settled = 0;                  // requests that have left `open` at its front
    std::deque<Request> open;
  };
  static void account(const Key &key, const Request &request, Kernel &kernel);

  std::uint32_t existing_ = 0;
  std::array<unsigned, kLanes> stretch_{};
  std::map<Key, Slot> slots_;
};

}  // namespace cuda_on_cpu::count
