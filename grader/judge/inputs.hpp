// The sizes and inputs that every lab is tried with. Most mistakes in a kernel show at a boundary:
// of a warp, of a block, of a power of two, or at nothing at all.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "case_number.hpp"
#include "judge.hpp"
#include "keys.hpp"

namespace warpwise {

/// Blocks need not be powers of two: 961 is one more than whole blocks of 96, 160, 192, 240, 320 or
/// 480.
inline constexpr std::array<std::size_t, 26> kBoundarySizes = {
    0,   1,   2,   3,   4,   5,   31,   32,   33,   63,   64,   65,   127,
    128, 129, 255, 256, 257, 511, 512,  513,  961,  1023, 1024, 1025, 2049};

/// Whether a run that takes so many inputs of a list takes number `turn` of `count`: the last one,
/// and from there every second, or third, as it needs.
inline bool is_sampled(std::size_t turn, std::size_t count) {
  const std::size_t most = std::min(judge().extent().at_most, count);
  const std::size_t step = (count + most - 1) / most;
  return (count - 1 - turn) % step == 0;
}

/// Those of the sizes that this run tries.
inline std::vector<std::size_t> within_reach(std::vector<std::size_t> sizes) {
  std::erase_if(sizes, [](std::size_t n) { return n > judge().extent().largest; });
  std::size_t turn = 0;
  std::erase_if(sizes,
                [&, count = sizes.size()](std::size_t) { return !is_sampled(turn++, count); });
  return sizes;
}

/// The same for inputs so large that one run of a stage is enough. A run with any limit leaves them
/// out.
inline std::vector<std::size_t> once_within_reach(std::vector<std::size_t> sizes) {
  if (judge().extent().largest != SIZE_MAX) sizes.clear();
  return sizes;
}

/// So many sizes, one after the other, are tried where a call is cheap.
inline constexpr std::size_t kEverySize = 520;

/// Every size from 1 on, where one run of a stage is enough: blocks and tiles may have any number
/// of elements, so a program may be wrong at one size in 96 or in 100, next to no boundary.
inline std::vector<std::size_t> every_size_once(std::size_t largest) {
  std::vector<std::size_t> sizes(largest);
  std::iota(sizes.begin(), sizes.end(), std::size_t{1});
  return once_within_reach(std::move(sizes));
}

/// Above these, up to the largest block: the least size for each number of warps, which differs
/// from the one before where a program counts in warps or in fours.
inline std::vector<std::size_t> least_of_warps_once(std::size_t above, std::size_t largest) {
  constexpr std::size_t kWarp = 32, kLargestBlock = 1024;
  std::vector<std::size_t> sizes;
  const std::size_t last = std::min(largest, kLargestBlock);
  for (std::size_t n = above / kWarp * kWarp + 1; n <= last; n += kWarp)
    if (n > above) sizes.push_back(n);
  return once_within_reach(std::move(sizes));
}

/// One more size for a run under the checker, which leaves large inputs out: beyond its limit and
/// beyond `low`, up to `largest`, by the seed. So no program knows up to which size it is watched.
inline std::vector<std::size_t> one_beyond_reach(std::size_t largest, std::size_t low = 0) {
  constexpr std::size_t kAfterAllBoundaries = 1025;  // a run for small inputs gets no large one
  const std::size_t limit = judge().extent().largest;
  if (limit < kAfterAllBoundaries || std::max(limit, low) >= largest) return {};
  low = std::max(limit, low);
  std::mt19937_64 random(judge().options().seed + low - limit);
  return {low + 1 + static_cast<std::size_t>(datasets::below(random, largest - low))};
}

/// A size between boundary number `turn` and the next one, by the seed: no program knows which
/// sizes are tried. None where too little is between.
inline std::optional<std::size_t> size_after(std::size_t turn) {
  constexpr std::size_t kWideGap = 16;
  if (turn + 1 == kBoundarySizes.size()) return std::nullopt;
  const std::size_t below = kBoundarySizes[turn], above = kBoundarySizes[turn + 1];
  if (above - below < kWideGap) return std::nullopt;
  std::mt19937_64 random(judge().options().seed + turn);
  return below + 1 + static_cast<std::size_t>(datasets::below(random, above - below - 1));
}

/// A number below `bound`, by the seed. Messages show such numbers, and some of them together would
/// tell a secret seed if they were its remainders.
inline std::uint64_t below_by_seed(std::uint64_t bound,
                                   std::uint64_t seed = judge().options().seed) {
  std::mt19937_64 random(seed);
  return datasets::below(random, bound);
}

/// One more size, from `low` to `high`, by the seed; none if it is not within reach.
inline std::vector<std::size_t> one_by_seed(std::size_t low, std::size_t high) {
  return within_reach({low + static_cast<std::size_t>(below_by_seed(high - low + 1))});
}

/// Whether this run tries kind number `kind` of `kinds` at the size number `turn`, which is n. A
/// stage's first run tries all pairs. The others, with threads in another order or watched by a
/// checker, look for mistakes in what threads do together. For these every size and every kind
/// counts, but not every pair: above Extent::every_kind each size has one kind, the next size the
/// next.
inline bool takes_turn(std::size_t n, std::size_t turn, std::size_t kind, std::size_t kinds) {
  const Extent& extent = judge().extent();
  return extent.largest == SIZE_MAX || n <= extent.every_kind || turn % kinds == kind;
}

/// An input array with the words to speak of it.
template <typename T>
struct Input {
  std::vector<T> values;
  std::string label;  // "33 distinct keys, shuffled (seed 17)"
};
using Keys = Input<float>;

inline Keys make_labelled(datasets::KeyShape shape, std::size_t n, std::uint64_t seed) {
  return {datasets::make_keys(shape, n, seed),
          with_case_number(std::to_string(n) + " " + datasets::describe(shape), seed)};
}

/// n floats that all differ, in random order: infinities, the largest and the smallest numbers, 0
/// or -0, then floats of random bits. No NaN.
inline Keys make_distinct_floats(std::size_t n, std::uint64_t seed) {
  using Limits = std::numeric_limits<float>;
  std::vector<float> keys;
  for (const float key : {Limits::infinity(), Limits::max(), Limits::min(), Limits::denorm_min(),
                          2 * Limits::denorm_min(), 1.0f, std::nextafter(1.0f, 2.0f)})
    keys.insert(keys.end(), {key, -key});
  std::mt19937_64 random(seed);
  keys.push_back(below_by_seed(2, seed) == 0 ? 0.0f : -0.0f);
  datasets::shuffle(keys, random);
  std::unordered_set<float> known(keys.begin(), keys.end());
  while (keys.size() < n) {
    const float key = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isnan(key) && known.insert(key).second) keys.push_back(key);
  }
  keys.resize(n);
  datasets::shuffle(keys, random);
  return {keys, with_case_number(std::to_string(n) + " distinct keys of random bits", seed)};
}

/// n keys that nowhere rise, with equal ones side by side, and more than half of them zeros of
/// either sign. What turns such an array round, because it takes it for one of different keys,
/// turns equal keys round, too.
inline Keys make_falling(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::size_t outer = n * 3 / 16;  // so many are above zero, and below
  std::vector<float> keys;
  float height = 0;
  for (std::size_t i = 0; i < outer; ++i)
    keys.push_back(height += static_cast<float>(datasets::below(random, 2)) + (i == 0));
  std::reverse(keys.begin(), keys.end());
  while (keys.size() + outer < n) keys.push_back(datasets::below(random, 2) == 0 ? 0.0f : -0.0f);
  for (std::size_t i = outer; i > 0; --i) keys.push_back(-keys[i - 1]);
  return {keys, with_case_number(std::to_string(n) + " keys that nowhere rise, many of them zeros",
                                 seed)};
}

/// Calls `body(keys)` for some that fall, and with `body(keys)` for the same from the end on.
template <typename Body>
void for_falling_and_rising(const Body& body) {
  const std::uint64_t seed = judge().options().seed;
  for (const std::size_t n : one_by_seed(300, 1000)) {
    Keys keys = make_falling(n, seed);
    body(keys);
    std::reverse(keys.values.begin(), keys.values.end());
    keys.label = with_case_number(
        std::to_string(n) + " keys that nowhere fall, many of them zeros", seed);
    body(keys);
  }
}

/// n distinct keys in order, but for neighbours that have changed places at a few places, far from
/// each other: where parts of a power of two of keys meet, where parts of 15 times as many do, and
/// inside of such parts. What looks into each part alone, or at the ends of parts alone, finds some
/// of these in order.
inline Keys make_seams(std::size_t n) {
  constexpr std::size_t kOdd = 15;  // so many lengths divide the place: 12, 20 and 24 among them
  std::vector<float> keys = datasets::distinct_ascending(n);
  const std::size_t even = n < 2 ? 0 : std::bit_floor(n - 1);
  const std::size_t odd = n <= kOdd ? 0 : kOdd * std::bit_floor((n - 1) / kOdd);
  for (const std::size_t place : {even, odd, even / 2 + 1, odd / 4 + 1})
    if (0 < place && place < n) std::swap(keys[place - 1], keys[place]);
  return {keys, std::to_string(n) + " keys in order, but for neighbours at index " +
                    std::to_string(even) + ", " + std::to_string(odd) + ", " +
                    std::to_string(even / 2 + 1) + " and " + std::to_string(odd / 4 + 1)};
}

/// A number of keys for which these places are a thousand apart, or nearly. Once is enough.
inline std::vector<std::size_t> size_of_seams() {
  constexpr std::size_t kLeast = 3841, kMost = 4095;
  std::mt19937_64 random(judge().options().seed);
  return once_within_reach({kLeast + datasets::below(random, kMost - kLeast + 1)});
}

/// n integers of random bits.
template <typename T>
std::vector<T> make_random_bits(std::size_t n, std::uint64_t seed) {
  static_assert(std::is_integral_v<T>);
  std::mt19937_64 random(seed);
  std::vector<T> values(n);
  for (T& value : values) value = static_cast<T>(random());
  return values;
}

/// n random whole numbers from `low` to `high`, of any arithmetic type. Floats that are small whole
/// numbers add up exactly, in any order, so that they can be compared bit for bit.
template <typename T>
Input<T> make_values(std::size_t n, std::uint64_t seed, T low, T high) {
  static_assert(std::is_arithmetic_v<T>);
  std::mt19937_64 random(seed);
  const auto first = static_cast<std::int64_t>(low);
  const auto count = static_cast<std::uint64_t>(static_cast<std::int64_t>(high) - first) + 1;
  std::vector<T> values(n);
  for (T& value : values)
    value = static_cast<T>(first + static_cast<std::int64_t>(datasets::below(random, count)));
  return {std::move(values), with_case_number(std::to_string(n) + " random values", seed)};
}

/// Calls `body(n, kind, seed)` for every kind of input at every boundary size up to `largest`, or
/// for those pairs whose turn it is, with seeds of the judge's. Between two boundaries far apart it
/// tries one more size, with one kind of input. Ends at the first failure. But as
/// long as no call has written anything, it goes on: what works only at larger sizes was attempted.
/// It still reports the first failure.
template <typename Kinds, typename Body>
void for_each_size_and_kind(const Kinds& kinds, std::size_t largest, const Body& body) {
  constexpr std::uint64_t kBetween = 10'000;  // seeds of the sizes between boundaries begin here
  std::uint64_t seed = judge().options().seed;
  const std::uint64_t between = seed + kBetween;
  const std::size_t limit = std::min(largest, judge().extent().largest);
  const std::size_t count =
      std::ranges::upper_bound(kBoundarySizes, limit) - kBoundarySizes.begin();
  std::optional<StageFailure> first_failure;
  const auto attempt = [&](std::size_t n, std::size_t kind, std::uint64_t case_seed) {
    try {
      body(n, std::data(kinds)[kind], case_seed);
    } catch (const StageFailure& failure) {
      if (!first_failure) first_failure = judge().completed(failure);  // other calls may follow
      if (failure.verdict() != Verdict::wrong_answer || judge().left_a_trace())
        throw *first_failure;
    }
  };
  for (std::size_t turn = 0, tried = 0; turn < count; ++turn) {
    const std::size_t n = kBoundarySizes[turn];
    if (!is_sampled(turn, count)) continue;
    for (std::size_t kind = 0; kind < std::size(kinds); ++kind, ++seed)
      if (takes_turn(n, tried, kind, std::size(kinds))) attempt(n, kind, seed);
    if (const auto drawn = size_after(turn); drawn && *drawn <= limit)
      attempt(*drawn, tried % std::size(kinds), between + turn);
    ++tried;
  }
  if (first_failure) throw *first_failure;
}

/// Calls `body(n, kind)` for large sizes: each size within reach has one kind, the next the next.
template <typename Kinds, typename Body>
void for_each_large_size(const std::vector<std::size_t>& sizes, const Kinds& kinds,
                         const Body& body) {
  const std::vector<std::size_t> tried = within_reach(sizes);
  for (std::size_t turn = 0; turn < sizes.size(); ++turn)
    if (std::ranges::find(tried, sizes[turn]) != tried.end())
      body(sizes[turn], std::data(kinds)[turn % std::size(kinds)]);
}

/// Calls `body(keys)` for every shape of float keys at every size; see above.
template <typename Shapes, typename Body>
void for_each_input(const Shapes& shapes, std::size_t largest, const Body& body) {
  for_each_size_and_kind(shapes, largest,
                         [&](std::size_t n, datasets::KeyShape shape, std::uint64_t seed) {
                           body(make_labelled(shape, n, seed));
                         });
}

/// Calls `body(keys)` for every size up to `largest`, and up to twice as much for the least of each
/// number of warps, with one of the shapes at each; see every_size_once().
template <typename Shapes, typename Body>
void for_every_size_once(const Shapes& shapes, std::size_t largest, const Body& body) {
  const std::uint64_t seed = judge().options().seed;
  std::mt19937_64 random(seed);
  std::vector<std::size_t> sizes = every_size_once(largest);
  const auto more = least_of_warps_once(largest, 2 * largest);
  sizes.insert(sizes.end(), more.begin(), more.end());
  for (const std::size_t n : sizes) {
    const std::uint64_t turn = datasets::below(random, std::size(shapes));
    body(make_labelled(std::data(shapes)[turn], n, seed + n));
  }
}

/// Calls `body(input)` with random values from `low` to `high` at every size; see above.
template <typename T, typename Body>
void for_each_size(T low, T high, std::size_t largest, const Body& body) {
  for_each_size_and_kind(std::array{0}, largest, [&](std::size_t n, int, std::uint64_t seed) {
    body(make_values(n, seed, low, high));
  });
}

}  // namespace warpwise
