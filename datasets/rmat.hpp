// RMAT edges (Chakrabarti, Zhan and Faloutsos, "R-MAT: a recursive model for graph mining", 2004).
// The adjacency matrix is cut into four quarters. One of them is drawn with probabilities a, b, c
// and d and is cut again, until a single entry is left. The result has hubs, as social networks do.
#pragma once

#include <cmath>
#include <cstdint>

#include "counter_random.hpp"

namespace datasets {

/// The quarters' probabilities: top left, top right, bottom left; the rest is bottom right. The
/// default is that of the Graph500 benchmark. A bigger `a` makes bigger hubs.
struct RmatParameters {
  double a = 0.57;
  double b = 0.19;
  double c = 0.19;

  bool valid() const { return a >= 0 && b >= 0 && c >= 0 && a + b + c <= 1; }  // false for NaN
};

/// The same in integers. Each draw has 32 bits: below `a` it is the top left quarter, and so on.
struct RmatThresholds {
  std::uint64_t a = 0;
  std::uint64_t ab = 0;
  std::uint64_t abc = 0;

  RmatThresholds() = default;
  explicit RmatThresholds(const RmatParameters& p)
      : a(in_32_bits(p.a)), ab(a + in_32_bits(p.b)), abc(ab + in_32_bits(p.c)) {}

 private:
  static std::uint64_t in_32_bits(double probability) {
    return static_cast<std::uint64_t>(std::llround(std::ldexp(probability, 32)));
  }
};

struct Edge {
  int from = -1;  // -1: no edge
  int to = -1;
};

/// Edge number i of the RMAT graph with 2^scale vertices, scale <= 30.
DATASETS_HOST_DEVICE inline Edge rmat_edge(std::uint64_t i, int scale, const RmatThresholds& up_to,
                                           RandomStream random) {
  constexpr std::uint64_t kDrawsPerEdge = 16;  // of 64 bits, which is two levels
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t bits = 0;
  for (int level = 0; level < scale; ++level) {
    bits = level % 2 == 0 ? random.at(i * kDrawsPerEdge + level / 2) : bits >> 32;
    const std::uint64_t draw = bits & 0xFFFFFFFFu;
    const std::uint32_t bottom = draw >= up_to.ab;
    const std::uint32_t right = (draw >= up_to.a) ^ bottom ^ (draw >= up_to.abc);
    from = from << 1 | bottom;
    to = to << 1 | right;
  }
  return {static_cast<int>(from), static_cast<int>(to)};
}

}  // namespace datasets
