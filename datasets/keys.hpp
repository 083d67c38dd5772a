// Seeded key distributions for the sorting labs. The same shape, size and seed give the same keys
// on every machine. Only std::mt19937_64, whose output the standard fixes, and integer arithmetic
// are used; the library's distributions are not.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace datasets {

enum class KeyShape {
  shuffled,       // n distinct keys in random order
  sorted,         // n distinct keys, ascending
  reversed,       // n distinct keys, descending
  nearly_sorted,  // ascending, then a few neighbours swapped
  all_equal,
  few_keys,  // seven different values
  extremes,  // +-inf, +-max, denormals, +-0 and ordinary keys
  with_nan,  // like extremes, but about every eighth key is a NaN, of either sign and any payload
  uniform,   // [0, 1) in steps of 2^-24
  zipf,      // whole numbers from 1 to n, k has odds of about 1 / k: few keys fill the array
  organ_pipe,  // ascending to the middle, then descending
  runs,        // n distinct keys in two to four sorted runs, whose length is a power of two
  two_keys,    // two different values
  not_negative,  // extremes and ordinary keys, but none below zero; zeros of either sign
  stretches,     // each fifth is of another kind: rising, falling, equal, two values, mixed
};

/// Shapes of distinct keys: what a rank sort without a tie rule needs.
inline constexpr std::array kDistinctShapes = {KeyShape::shuffled, KeyShape::sorted,
                                               KeyShape::reversed, KeyShape::nearly_sorted};
/// Shapes of keys that `<` can order.
inline constexpr std::array kOrderedShapes = {
    KeyShape::shuffled,  KeyShape::sorted,   KeyShape::reversed, KeyShape::nearly_sorted,
    KeyShape::all_equal, KeyShape::few_keys, KeyShape::extremes};
inline constexpr std::array kAllShapes = {
    KeyShape::shuffled,  KeyShape::sorted,   KeyShape::reversed, KeyShape::nearly_sorted,
    KeyShape::all_equal, KeyShape::few_keys, KeyShape::extremes, KeyShape::with_nan};

/// Shapes beside the usual ones, for sizes of which each has one shape. `runs` is the one of
/// distinct keys.
inline constexpr std::array kOtherShapes = {KeyShape::runs, KeyShape::two_keys,
                                            KeyShape::not_negative, KeyShape::stretches};

inline std::string describe(KeyShape shape) {
  switch (shape) {
    case KeyShape::shuffled: return "distinct keys, shuffled";
    case KeyShape::sorted: return "distinct keys, already sorted";
    case KeyShape::reversed: return "distinct keys, in reverse";
    case KeyShape::nearly_sorted: return "distinct keys, nearly sorted";
    case KeyShape::all_equal: return "equal keys";
    case KeyShape::few_keys: return "keys of seven values";
    case KeyShape::extremes: return "keys with infinities, zeros and extremes";
    case KeyShape::with_nan: return "keys with NaN";
    case KeyShape::uniform: return "uniform keys";
    case KeyShape::zipf: return "keys by Zipf's law";
    case KeyShape::organ_pipe: return "keys that ascend, then descend";
    case KeyShape::runs: return "distinct keys in sorted runs";
    case KeyShape::two_keys: return "keys of two values";
    case KeyShape::not_negative: return "keys with infinities and zeros, none negative";
    case KeyShape::stretches: return "keys of another kind in each fifth";
  }
  return "keys";
}

/// Uniform in [0, bound); bound > 0. The bias of the remainder is below 2^-40 for any array here.
inline std::uint64_t below(std::mt19937_64& random, std::uint64_t bound) {
  return random() % bound;
}

/// `random` is any generator that has a below().
template <typename T, typename Random>
void shuffle(std::vector<T>& values, Random& random) {
  for (std::size_t i = values.size(); i > 1; --i)
    std::swap(values[i - 1], values[below(random, i)]);
}

/// n distinct floats, ascending, spread over negative and positive numbers. n <= 2^24, because up
/// to there every integer is a float.
inline std::vector<float> distinct_ascending(std::size_t n) {
  std::vector<float> keys(n);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = (static_cast<float>(i) - static_cast<float>(n / 2)) * 0.25f;
  return keys;
}

inline float extreme_key(std::mt19937_64& random) {
  using Limits = std::numeric_limits<float>;
  constexpr std::array kExtremes = {Limits::infinity(),   -Limits::infinity(),   Limits::max(),
                                    Limits::lowest(),     Limits::min(),         -Limits::min(),
                                    Limits::denorm_min(), -Limits::denorm_min(), 0.0f,
                                    -0.0f,                1.0f,                  -1.0f};
  return kExtremes[below(random, kExtremes.size())];
}

/// A NaN of any bits: quiet or signalling, of either sign. It is made and kept as bits.
inline float any_nan(std::mt19937_64& random) {
  const auto payload = 1 + static_cast<std::uint32_t>(below(random, (1u << 23) - 1));
  return std::bit_cast<float>(0x7F800000u | payload |
                              static_cast<std::uint32_t>(below(random, 2)) << 31);
}

/// A key for the mixed shapes: half of them extremes, half ordinary keys.
inline float mixed_key(std::mt19937_64& random) {
  if (below(random, 2) == 0) return extreme_key(random);
  return (static_cast<float>(below(random, 1 << 20)) - static_cast<float>(1 << 19)) * 0.125f;
}

/// A whole number from 1 to n; k has odds of about 1 / k. By integer arithmetic alone: draws one of
/// the ranges 1, 2-3, 4-7, ..., all equally likely, then one number of the range.
inline float zipf_key(std::mt19937_64& random, std::size_t n) {
  for (;;) {
    const std::uint64_t first = std::uint64_t{1} << below(random, std::bit_width(n));
    const std::uint64_t key = first + below(random, first);
    if (key <= n) return static_cast<float>(key);
  }
}

/// n distinct keys in sorted runs: what looks at the keys of a warp, a block or a tile alone finds
/// them in order.
inline std::vector<float> keys_in_runs(std::size_t n, std::mt19937_64& random) {
  std::vector<float> keys = distinct_ascending(n);
  shuffle(keys, random);
  const std::size_t run = n < 2 ? 1 : std::bit_floor(n / 2);
  for (std::size_t at = 0; at < n; at += run)
    std::sort(keys.begin() + at, keys.begin() + std::min(n, at + run));
  return keys;
}

/// A fifth of n keys of each of these kinds, in random order, after a few keys of the last one. So
/// a warp, a tile or a run has keys of one kind, and its neighbour those of another.
inline std::vector<float> keys_in_stretches(std::size_t n, std::mt19937_64& random) {
  std::vector<int> kinds = {0, 1, 2, 3, 4};
  shuffle(kinds, random);
  const std::size_t stretch = n / 5 + 1, before = below(random, n / 16 + 1);
  std::vector<float> keys;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t at = i + stretch - before, place = at % stretch;
    switch (kinds[(at / stretch + 4) % 5]) {
      case 0: keys.push_back(static_cast<float>(place)); break;
      case 1: keys.push_back(-static_cast<float>(place)); break;
      case 2: keys.push_back(1.0f); break;
      case 3: keys.push_back(static_cast<float>(below(random, 2))); break;
      case 4: keys.push_back(mixed_key(random)); break;
    }
  }
  return keys;
}

/// n keys of the shape; 0 <= n <= 2^24 for the distinct shapes and for Zipf's.
inline std::vector<float> make_keys(KeyShape shape, std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(shape));
  std::vector<float> keys;
  switch (shape) {
    case KeyShape::shuffled:
      keys = distinct_ascending(n);
      shuffle(keys, random);
      break;
    case KeyShape::sorted:
      keys = distinct_ascending(n);
      break;
    case KeyShape::reversed:
      keys = distinct_ascending(n);
      std::reverse(keys.begin(), keys.end());
      break;
    case KeyShape::nearly_sorted:
      keys = distinct_ascending(n);
      for (std::size_t i = 1; i < n; ++i)
        if (below(random, 16) == 0) std::swap(keys[i - 1], keys[i]);
      break;
    case KeyShape::all_equal:
      keys.assign(n, 7.0f);
      break;
    case KeyShape::few_keys:
      for (std::size_t i = 0; i < n; ++i) keys.push_back(static_cast<float>(below(random, 7)) - 3);
      break;
    case KeyShape::extremes:
      for (std::size_t i = 0; i < n; ++i) keys.push_back(mixed_key(random));
      break;
    case KeyShape::with_nan:
      for (std::size_t i = 0; i < n; ++i) {
        keys.push_back(below(random, 8) == 0 ? any_nan(random) : mixed_key(random));
      }
      break;
    case KeyShape::uniform:
      for (std::size_t i = 0; i < n; ++i)
        keys.push_back(static_cast<float>(random() >> 40) / 16777216.0f);
      break;
    case KeyShape::zipf:
      for (std::size_t i = 0; i < n; ++i) keys.push_back(zipf_key(random, n));
      break;
    case KeyShape::organ_pipe:
      for (std::size_t i = 0; i < n; ++i)
        keys.push_back(static_cast<float>(std::min(i, n - 1 - i)));
      break;
    case KeyShape::runs:
      keys = keys_in_runs(n, random);
      break;
    case KeyShape::two_keys:
      for (std::size_t i = 0; i < n; ++i) keys.push_back(static_cast<float>(below(random, 2)));
      break;
    case KeyShape::not_negative:
      for (std::size_t i = 0; i < n; ++i) {
        const float key = mixed_key(random);
        keys.push_back(key < 0 ? -key : key);
      }
      break;
    case KeyShape::stretches:
      keys = keys_in_stretches(n, random);
      break;
  }
  return keys;
}

}  // namespace datasets
