// The sums: one record per kernel, one row per instruction.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

namespace cuda_on_cpu::count {

enum class Space : std::uint8_t { global, shared, texture };
enum class Direction : std::uint8_t { load, store, atomic };

struct Instruction {
  std::uint32_t site;  // see source_line.hpp
  Space space;
  Direction direction;
  auto operator<=>(const Instruction &) const = default;
};

// Where lanes went after they left a place of the program together.
class Branch {
 public:
  void leave(std::uint32_t next, bool uniform) {
    if (left_ && (!uniform || next != next_)) parts_ = true;
    if (!uniform) parts_ = true;
    next_ = next;
    ++left_;
    uniform_ += uniform;
  }
  // It is not a branch when all lanes always went the same way.
  std::uint64_t decisions() const { return parts_ ? left_ : 0; }
  std::uint64_t uniform() const { return parts_ ? uniform_ : 0; }

 private:
  std::uint64_t left_ = 0, uniform_ = 0;
  std::uint32_t next_ = 0;
  bool parts_ = false;
};

struct Sums {
  std::uint64_t requests = 0;
  std::uint64_t pieces = 0;  // sectors or wavefronts; of atomics turns: lanes of one address wait
  std::uint64_t ideal = 0;
  Branch branch;  // after the access
};

struct Kernel {
  std::string name;
  std::uint64_t launches = 0, blocks = 0, threads = 0, barriers = 0;
  Branch start;  // before the first access
  std::map<Instruction, Sums> rows;
};

using Kernels = std::deque<Kernel>;  // in the order of their first launches

}  // namespace cuda_on_cpu::count
