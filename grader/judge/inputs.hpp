// The sizes every lab is tried at. Most mistakes in a kernel show at a boundary: of a warp, of a
// block, of a power of two, or at nothing at all.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "case_number.hpp"
#include "judge.hpp"
#include "keys.hpp"

namespace warpwise {

inline constexpr std::array<std::size_t, 26> kBoundarySizes = {
    0,   1,   2,   3,   4,   5,   31,   32,   33,   63,   64,   65,   127,
    128, 129, 255, 256, 257, 511, 512,  513,  1000, 1023, 1024, 1025, 2049};

/// Those of the sizes that this run tries.
inline std::vector<std::size_t> within_reach(std::vector<std::size_t> sizes) {
  std::erase_if(sizes, [](std::size_t n) { return n > judge().largest_input(); });
  return sizes;
}

/// An input array with the words to speak of it.
struct Keys {
  std::vector<float> values;
  std::string label;  // "33 distinct keys, shuffled (seed 17)"
};

inline Keys make_labelled(datasets::KeyShape shape, std::size_t n, std::uint64_t seed) {
  return {datasets::make_keys(shape, n, seed),
          with_case_number(std::to_string(n) + " " + datasets::describe(shape), seed)};
}

/// Calls `body(keys)` for every shape at every size up to `largest`, with seeds of the judge's. Ends
/// at the first failure; but as long as no call has written anything it looks on, for what works
/// only at larger sizes was attempted, and still reports the failure it met first.
template <typename Shapes, typename Body>
void for_each_input(const Shapes& shapes, std::size_t largest, const Body& body) {
  std::uint64_t seed = judge().options().seed;
  std::optional<StageFailure> first_failure;
  for (const std::size_t n : kBoundarySizes) {
    if (n > std::min(largest, judge().largest_input())) continue;
    for (const datasets::KeyShape shape : shapes) {
      try {
        body(make_labelled(shape, n, seed++));
      } catch (const StageFailure& failure) {
        if (!first_failure) first_failure = failure;
        if (failure.verdict() != Verdict::wrong_answer || judge().left_a_trace())
          throw *first_failure;
      }
    }
  }
  if (first_failure) throw *first_failure;
}

}  // namespace warpwise
