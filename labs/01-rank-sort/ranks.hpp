// Checks that several stages of lab 01 share, and inputs whose ranks need more than 16 bits.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "endings.hpp"
#include "inputs.hpp"
#include "launch_check.hpp"
#include "oracle.hpp"
#include "rank_sort.hpp"
#include "sequence_check.hpp"

namespace rank_sort::tests {

using namespace warpwise;
using datasets::KeyShape;

const auto not_descending = [](float a, float b) { return !oracle::ascending(b, a); };

inline std::vector<float> sorted(const std::vector<float>& keys) {
  return oracle::arrange(keys, oracle::order(keys, oracle::ascending));
}

inline void require_sorted(const Reply& reply, const Keys& keys) {
  require_sequence(reply, keys.label, reply.buffer<float>("out"), sorted(keys.values),
                   not_descending);
}

// One size for each stage that makes n * n comparisons: more keys than a signed number of 16 bits
// counts, and than a grid of 128 blocks of 256 threads has threads. As in the sizes below, one key
// is more than whole blocks of any usual size have threads, those of 96, 320 or 384 among them.
constexpr std::size_t kMany = 1 + (1 << 8) * 27 * 5;
// So many where shuffles, which take a hundred times as long here as on a GPU, bring a key to its
// rank.
constexpr std::size_t kManyForShuffles = 10'007;
// Keys that may be NaN take several times as long to compare.
constexpr std::size_t kManyPairs = 1 + (1 << 7) * 27 * 5;
constexpr std::size_t kManyStrings = 1 + (1 << 7) * 9 * 5;
// More than 16 bits count, with the keys whose ranks are beyond at the end. Only few blocks run.
constexpr std::size_t kBeyond16Bits = 70'001;
// Under the checker a comparison takes longer again.
constexpr std::size_t kWatched = 2600;

// A merge reads two keys for each that it writes; it may look at them by indices, or read some
// twice to compare them.
constexpr std::size_t kOfEachKey = 5, kOfEachPair = 6;

/// So many elements, or more, a block is expected to have.
constexpr std::ptrdiff_t kInABlock = 32;

/// Only few blocks run, so the first and the last places of all belong to elements of the first
/// block and the last.
template <typename T, typename Before>
void put_last_those_beyond_16_bits(std::vector<T>& values, Before before) {
  constexpr std::ptrdiff_t kOuter = 8;
  const auto beyond = values.begin() + (1 << 16);
  std::nth_element(values.begin(), beyond, values.end(), before);
  std::nth_element(values.begin(), values.begin() + kOuter, beyond, before);
  std::nth_element(beyond, values.end() - kOuter, values.end(), before);
  std::mt19937_64 random(judge().options().seed);
  for (std::ptrdiff_t i = 0; i < kOuter; ++i) {
    std::iter_swap(values.begin() + i, values.begin() + datasets::below(random, kInABlock));
    std::iter_swap(values.end() - 1 - i, values.end() - 1 - datasets::below(random, kInABlock));
  }
  // But the first of all is among them, so that two sorted parts are not a sorted array.
  std::iter_swap(std::min_element(values.begin(), beyond, before), beyond);
}

/// Few different keys, 0 and -0 among them, and NaN for one in 14: of any bits, and enough to be
/// last beyond 16 bits. Three of four are equal to the one before, so equal keys meet at the end of
/// any piece.
inline Keys make_ties(std::size_t n) {
  Keys keys = make_labelled(KeyShape::few_keys, n, judge().options().seed + n);
  std::mt19937_64 random(judge().options().seed + n);
  for (std::size_t i = 0; i < n; ++i) {
    const bool again = i > 0 && datasets::below(random, 4) > 0;
    if (again) keys.values[i] = keys.values[i - 1];
    if (!again && keys.values[i] == 0 && i % 2 == 0) keys.values[i] = -0.0f;
    if (!(again ? std::isnan(keys.values[i]) : datasets::below(random, 14) == 0)) continue;
    const auto payload = static_cast<std::uint32_t>(random()) & 0x803fffff;
    keys.values[i] = std::bit_cast<float>(0x7fc00000 | payload);
  }
  keys.label += ", and NaN";
  return keys;
}

/// Values of random bits, and the least and the greatest, which nobody draws.
inline std::vector<int> make_any_values(std::size_t n) {
  constexpr std::array kRare = {INT_MIN, INT_MAX, 0, 1};
  const std::uint64_t seed = judge().options().seed + n;
  std::vector<int> values = make_random_bits<int>(n, seed);
  for (std::size_t i = 0; i < std::min(n, kRare.size()); ++i) values[(seed + i) % n] = kRare[i];
  return values;
}

template <typename Entry, typename Before>
void check_pairs(Entry entry, const Keys& keys, Before before) {
  const std::size_t n = keys.values.size();
  const std::vector<int> values = make_any_values(n);
  const Reply reply =
      call(entry, In("keys_in", keys.values), In("values_in", values), Out<float>("keys_out", n),
           Out<int>("values_out", n), n);
  const std::vector<int> order = oracle::order(keys.values, before);
  require_sequence(reply, keys.label,
                   zip(reply.buffer<float>("keys_out"), reply.buffer<int>("values_out")),
                   zip(oracle::arrange(keys.values, order), oracle::arrange(values, order)),
                   [&](const auto& a, const auto& b) { return !before(b.first, a.first); });
  require_few_launches(reply, n);
  note_sort_alone(reply, n, kOfEachPair);
  if (n == 0) require_no_launch(reply);
}

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Tries a call with so many keys that n * n steps take too long: few blocks of each launch run.
/// `check` looks at what they have written, and returns how much that is. Where a launch needs what
/// blocks of another one were to make, that says little or nothing. But what sorts by several
/// launches is often fast, so the whole call gets a moment. It gets more if the blocks have written
/// less than their share. `prepared(n)` is the call with the first n elements.
template <typename Prepared, typename Check>
void check_part_or_whole(std::size_t n, const Prepared& prepared, const Check& check) {
  constexpr double kMoment = 1, kLimit = 3;
  const PreparedCall whole = prepared(n);
  const auto start = std::chrono::steady_clock::now();
  const std::optional<Reply> part = judge().call_in_part(with_few_blocks(whole), kLimit);
  const std::size_t written = part ? check(*part, kGpu) : 0;
  if (!part && seconds_since(start) >= kLimit)
    require_an_end([&](std::size_t size) { return with_few_blocks(prepared(size)); }, prepared, n);
  const bool too_few = part && is_less_than_their_share(*part, written, n);
  if (kGpu || (part && part->statistics().launches == 1 && !too_few)) return;
  const double limit = too_few ? judge().options().seconds : kMoment;
  if (const std::optional<Reply> reply = judge().call_in_part(whole, limit)) check(*reply, true);
}

/// As require_written(). But nothing counts as written if the last place is not: what belongs there
/// stands at the end of the input (put_last_those_beyond_16_bits), so the last block should bring
/// it, unless it is very small. Blocks may take the elements of others, the first ones again for
/// example: the whole call tells.
template <typename T>
std::size_t require_share(const Reply& reply, const std::string& label, const std::vector<T>& got,
                          const std::vector<T>& expected, bool all) {
  const std::size_t written = require_written(reply, label, got, expected, all);
  const bool small_blocks = reply.statistics().blocks * 2 * kInABlock > got.size() + 2 * kInABlock;
  return is_poison(got.back()) && !small_blocks ? 0 : written;
}

/// The first elements of an input.
template <typename T>
std::vector<T> first(const std::vector<T>& values, std::size_t n) {
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n)};
}

/// So many threads share the keys: three blocks bring those of their threads to their places, and
/// no others. Few threads that sort, beside many that work for show, bring more.
inline void require_own_share(const Reply& reply, std::size_t written, std::size_t n,
                              std::size_t threads) {
  constexpr std::size_t kThreadsOfThreeBlocks = 3 * 1024;
  const std::size_t of_each = (n + threads - 1) / threads;
  if (reply.statistics().launches > 1 || written <= kThreadsOfThreeBlocks * of_each) return;
  fail(Verdict::wrong_answer, reply.description() + " brought " + std::to_string(written) + " of " +
                                  std::to_string(n) + " keys to their places; each of " +
                                  std::to_string(threads) + " threads has its own keys");
}

/// `least` threads are launched, also those whose blocks do not run.
template <typename Entry, typename... More>
void check_keys_beyond_16_bits(Entry entry, const Keys& keys, std::size_t least, More... more) {
  const std::vector<float> right = sorted(keys.values);
  const auto prepared = [&](std::size_t n) {
    return prepare(entry, In("in", first(keys.values, n)), Out<float>("out", n), n, more...);
  };
  check_part_or_whole(keys.values.size(), prepared, [&](const Reply& reply, bool all) {
    const std::size_t written =
        require_share(reply, keys.label, reply.buffer<float>("out"), right, all);
    if (!all && least > 0) require_own_share(reply, written, right.size(), least);
    require_threads(reply, least, std::to_string(least) + " or more");
    return written;
  });
}

/// Tries a whole call with many keys. One that takes too long is tried with fewer, and in part: it
/// may be slow on a CPU alone. `require` looks at the reply to a whole call.
template <typename Entry, typename Require>
void check_many(Entry entry, const Keys& keys, const Require& require) {
  const auto call_with = [&](const Keys& some) {
    const std::size_t n = some.values.size();
    return prepare(entry, In("in", some.values), Out<float>("out", n), n);
  };
  const auto whole = judge().call_in_part(call_with(keys), judge().options().seconds);
  if (whole) return require(*whole, keys);
  const Keys fewer{first(keys.values, kManyForShuffles), "the first of " + keys.label};
  require(judge().call(call_with(fewer)), fewer);
  check_keys_beyond_16_bits(entry, keys, 0);
}

template <typename Entry, typename Before>
void check_pairs_beyond_16_bits(Entry entry, Before before) {
  for (const std::size_t n : once_within_reach({kBeyond16Bits})) {
    Keys keys = make_ties(n);
    put_last_those_beyond_16_bits(keys.values, before);
    const std::vector<int> values = make_any_values(n);
    const std::vector<int> order = oracle::order(keys.values, before);
    const auto sorted = zip(oracle::arrange(keys.values, order), oracle::arrange(values, order));
    const auto prepared = [&](std::size_t count) {
      return prepare(entry, In("keys_in", first(keys.values, count)),
                     In("values_in", first(values, count)), Out<float>("keys_out", count),
                     Out<int>("values_out", count), count);
    };
    check_part_or_whole(n, prepared, [&](const Reply& reply, bool all) {
      return require_share(reply, keys.label,
                           zip(reply.buffer<float>("keys_out"), reply.buffer<int>("values_out")),
                           sorted, all);
    });
  }
}

}  // namespace rank_sort::tests
