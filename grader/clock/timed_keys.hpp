// What a timed sort gets. Nobody knows the answer ahead: the keys themselves come from the seed,
// not only their order. If the keys were always the same, a kernel could check that it has got them
// and write the answer down.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "counter_random.hpp"
#include "inputs.hpp"
#include "keys.hpp"

namespace warpwise {

/// The numbers of a stream, one after the other. A comparison waits for its inputs while it has the
/// GPU, and this takes half the time of <random>'s generator with a remainder.
class QuickRandom {
 public:
  explicit QuickRandom(std::uint64_t seed) : stream_(datasets::random_stream(seed, 0)) {}
  /// Uniform in [0, bound), bound <= 2^32.
  friend std::uint64_t below(QuickRandom& random, std::uint64_t bound) {
    return (random.stream_.at(random.next_++) >> 32) * bound >> 32;
  }

 private:
  datasets::RandomStream stream_;
  std::uint64_t next_ = 0;
};

/// n different numbers of -limit to limit, ascending; n < limit < 2^31. In linear time: each is a
/// random distance above the last one, and all of them are moved by a random distance in the end.
inline std::vector<std::int64_t> unforeseen_numbers(std::size_t n, std::int64_t limit,
                                                    QuickRandom& random) {
  const auto span = 2 * static_cast<std::uint64_t>(limit);
  const std::uint64_t largest_gap = n == 0 ? 1 : span / n;
  std::vector<std::int64_t> numbers(n);
  std::uint64_t last = 0;
  for (std::int64_t& number : numbers) {
    last += 1 + below(random, largest_gap);
    number = static_cast<std::int64_t>(last) - limit - 1;
  }
  const auto moved = static_cast<std::int64_t>(below(random, span - last + 1));
  for (std::int64_t& number : numbers) number += moved;
  return numbers;
}

/// The finite float that is as many floats above 0 as `number` says, or below if it is negative.
inline float float_number(std::int64_t number) {
  const float magnitude =
      std::bit_cast<float>(static_cast<std::uint32_t>(number < 0 ? -number : number));
  return number < 0 ? -magnitude : magnitude;
}

/// Different keys in random order, and the same keys ascending.
template <typename Key>
struct TimedKeys {
  Input<Key> keys;
  std::vector<Key> ascending;
};

template <typename Key>
std::shared_ptr<const TimedKeys<Key>> make_timed_keys(std::size_t n, std::uint64_t seed) {
  QuickRandom random(seed);
  constexpr auto kLargest = std::is_same_v<Key, float>
                                ? std::bit_cast<std::uint32_t>(std::numeric_limits<float>::max())
                                : std::uint32_t{1} << 30;  // two of them differ by an int
  auto made = std::make_shared<TimedKeys<Key>>();
  made->ascending.reserve(n);
  for (const std::int64_t number : unforeseen_numbers(n, kLargest, random)) {
    if constexpr (std::is_same_v<Key, float>)
      made->ascending.push_back(float_number(number));
    else
      made->ascending.push_back(static_cast<Key>(number));
  }
  made->keys = {made->ascending,
                with_case_number(std::to_string(n) + " distinct keys, shuffled", seed)};
  datasets::shuffle(made->keys.values, random);
  return made;
}

}  // namespace warpwise
