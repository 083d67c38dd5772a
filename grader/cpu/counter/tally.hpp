// The sums: one account per kernel, one row per instruction.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

namespace cuda_on_cpu::count {

enum class Space : std::uint8_t { global, shared };
enum class Direction : std::uint8_t { load, store, atomic };

struct Instruction {
  std::uint32_t site;  // see source_line.hpp
  Space space;
  Direction direction;
  auto operator<=>(const Instruction &) const = default;
};

struct Sums {
  std::uint64_t requests = 0;
  std::uint64_t pieces = 0;  // sectors or wavefronts; 0 for atomics
  std::uint64_t ideal = 0;
};

struct Kernel {
  std::string name;
  std::uint64_t launches = 0, blocks = 0, threads = 0, barriers = 0;
  std::map<Instruction, Sums> rows;
};

using Kernels = std::deque<Kernel>;  // in the order of their first launches

}  // namespace cuda_on_cpu::count
