// What all stages of lab 03 share: results, calls, inputs, and calls that must be refused.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "bitonic.hpp"
#include "inputs.hpp"
#include "launch_check.hpp"
#include "oracle.hpp"
#include "sequence_check.hpp"

namespace bitonic::tests {

using namespace warpwise;
using datasets::kAllShapes;
using datasets::kOtherShapes;
using datasets::KeyShape;

// ---- results  -----------------------------------------------------------------------------------

inline std::string show(Result result) {
  constexpr const char* kWords[] = {"unfinished",   "sorted",       "bad_length",
                                    "null_pointer", "host_pointer", "out_of_memory"};
  const auto number = static_cast<std::size_t>(result);
  return number < std::size(kWords) ? kWords[number] : "result " + std::to_string(int(result));
}

inline void require_result(const Reply& reply, Result expected, const std::string& why = "") {
  const Result got = reply.value<Result>();
  if (got != expected)
    fail(Verdict::wrong_answer,
         reply.description() + " returned " + show(got) + ", expected " + show(expected) + why);
}

template <typename T>
void require_untouched(const Reply& reply, const char* name, const std::vector<T>& values) {
  if (!values.empty() &&
      std::memcmp(reply.buffer<T>(name).data(), values.data(), values.size() * sizeof(T)))
    fail(Verdict::wrong_answer, reply.description() + " returned " + show(reply.value<Result>()) +
                                    ", but " + name + " were changed");
}

// ---- calls --------------------------------------------------------------------------------------

const auto in_order = [](const auto& a, const auto& b) { return !oracle::before(b, a); };

template <typename Key>
void require_sorted(const Reply& reply, const std::vector<Key>& keys, const std::string& label) {
  require_sequence(reply, label, reply.buffer<Key>("keys"), oracle::sorted(keys), in_order);
  require_result(reply, Result::sorted, " for " + label);
}

constexpr std::size_t kOfEachKey = 5, kOfEachPair = 6;  // a step reads two and writes two

template <typename Entry, typename Key>
Reply check_keys(Entry entry, const std::vector<Key>& keys, const std::string& label) {
  const Reply reply = call(entry, InOut("keys", keys), keys.size());
  require_sorted(reply, keys, label);
  require_few_launches(reply, keys.size());
  note_sort_alone(reply, keys.size(), kOfEachKey);
  return reply;
}

/// Values with many repeats, and every second one with a single bit. In pairs of equal keys the
/// value decides.
inline std::vector<unsigned> make_values(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<unsigned> values(n);
  for (unsigned& value : values) {
    const std::uint64_t draw = random();
    value = draw % 2 == 0 ? 1u << draw / 2 % 32
                          : static_cast<unsigned>(draw / 2 % 4 << 30 | draw / 8 % 100);
  }
  return values;
}

inline void require_sorted_pairs(const Reply& reply, const std::vector<float>& keys,
                                 const std::vector<unsigned>& values, const std::string& label) {
  require_sequence(reply, label, zip(reply.buffer<float>("keys"), reply.buffer<unsigned>("values")),
                   oracle::sorted(zip(keys, values)), in_order);
  require_result(reply, Result::sorted, " for " + label);
}

template <typename Entry>
Reply check_pairs(Entry entry, const std::vector<float>& keys, const std::string& label) {
  const std::vector<unsigned> values = make_values(keys.size(), keys.size());
  const Reply reply = call(entry, InOut("keys", keys), InOut("values", values), keys.size());
  require_sorted_pairs(reply, keys, values, label);
  require_few_launches(reply, keys.size());
  note_sort_alone(reply, keys.size(), kOfEachPair);
  return reply;
}

// ---- inputs -------------------------------------------------------------------------------------

/// n keys of random bits. A quarter of them are infinite or NaN with any payload, also that next to
/// infinity and the largest; some are zeros or next to them, of either sign; some occur twice.
template <typename Key, typename Bits>
std::vector<Key> random_bits(std::size_t n, std::uint64_t seed) {
  const Bits exponent = std::bit_cast<Bits>(std::numeric_limits<Key>::infinity());
  std::mt19937_64 random(seed);
  std::vector<Key> keys;
  for (std::size_t i = 0; i < n; ++i) {
    Bits bits = static_cast<Bits>(random());
    if (datasets::below(random, 4) == 0) bits |= exponent;
    if (datasets::below(random, 16) == 0) bits &= Bits{1} << (8 * sizeof bits - 1) | exponent | 1;
    if (datasets::below(random, 32) == 0) bits |= std::numeric_limits<Bits>::max() >> 1;
    if (datasets::below(random, 32) == 0) bits &= Bits{1} << (8 * sizeof bits - 1) | 1;
    const bool again = i > 0 && datasets::below(random, 8) == 0;
    keys.push_back(again ? keys[datasets::below(random, i)] : std::bit_cast<Key>(bits));
  }
  return keys;
}

inline std::string label_bits(std::size_t n) {
  return std::to_string(n) + " keys of random bits, many of them NaN";
}

/// Every size and shape, and keys of random bits at every size.
template <typename Body>
void for_each_keys(const Body& body) {
  for_each_input(kAllShapes, 2049, [&](const Keys& keys) { body(keys.values, keys.label); });
  for (const std::size_t n : within_reach({2, 7, 32, 100, 1000, 1024, 2048}))
    body(random_bits<float, unsigned>(n, judge().options().seed + n), label_bits(n));
}

/// Keys of random bits, so many of them equal that in pairs values decide; and, at every fourth
/// length, of the other shapes in turn.
template <typename Body>
void for_every_length(std::size_t largest, const Body& body) {
  for (const std::size_t n : every_size_once(largest)) {
    const std::uint64_t seed = judge().options().seed + n;
    const Keys other = make_labelled(kOtherShapes[n / 4 % kOtherShapes.size()], n, seed);
    if (n % 4 == 0)
      body(other.values, other.label);
    else
      body(random_bits<float, unsigned>(n, seed), label_bits(n));
  }
}

/// For pairs, at every size: shapes with equal keys, so that values decide.
template <typename Body>
void for_each_tie(const Body& body) {
  for_each_input(std::array{KeyShape::few_keys, KeyShape::with_nan}, 2049,
                 [&](const Keys& keys) { body(keys.values, keys.label); });
}

/// Sizes around the powers of two that blocks and tiles have, and sizes between them. One has a
/// pair more than whole blocks of 96, 192, 320 or 384 threads, and one has a key more.
inline std::vector<std::size_t> large_sizes() {
  auto sizes = within_reach({2048, 3000, 4095, 4096, 4097, 8193, 12289, 16384, 19202, 34561});
  for (const std::size_t n : one_by_seed(2050, 20000)) sizes.push_back(n);
  return sizes;
}

template <typename Body>
void for_each_large(const Body& body) {
  constexpr std::array kTurns = {KeyShape::few_keys, KeyShape::runs, KeyShape::stretches};
  std::size_t turn = 0;
  for (const std::size_t n : large_sizes()) {
    for (const KeyShape shape : {KeyShape::shuffled, kTurns[turn++ % kTurns.size()]}) {
      const Keys keys = make_labelled(shape, n, judge().options().seed + n);
      body(keys.values, keys.label);
    }
    body(random_bits<float, unsigned>(n, judge().options().seed + n), label_bits(n));
  }
  for (const std::size_t n : one_beyond_reach(9000))
    body(random_bits<float, unsigned>(n, judge().options().seed + n), label_bits(n));
  // What skips steps of keys that seem to be in order, by a look at each thread's or at their
  // ends.
  for (const std::size_t n : size_of_seams()) {
    const Keys keys = make_seams(n);
    body(keys.values, keys.label);
  }
  // A last tile of few keys, whatever the size of a tile is.
  for (const std::size_t n : once_within_reach({8194, 8195, 8198}))
    body(make_labelled(KeyShape::reversed, n, n).values,
         std::to_string(n) + " " + datasets::describe(KeyShape::reversed));
}

/// A network has no remainder at powers of two. Each occurs once; others are among large_sizes(),
/// or are as many as kWholeTiles.
template <typename Body>
void for_each_power_of_two(const Body& body) {
  for (const std::size_t n : once_within_reach({8192, 32768, 65536, 131072}))
    body(random_bits<float, unsigned>(n, judge().options().seed + n), label_bits(n));
}

/// Lengths that no array here has. Cut down to 32 bits, some look like -2^31, 0 and 8.
constexpr std::size_t kTooMany[] = {bitonic::kMostKeys + 1, std::size_t{1} << 31,
                                    std::size_t{1} << 32, (std::size_t{1} << 32) + 8, SIZE_MAX};

constexpr const char* kLengthFirst = ": the length is looked at before the pointer";
constexpr const char* kNotTooMany = ": kMostKeys keys are not too many";

const std::vector<float> kEight = {5, 3, 8, 1, 7, 2, 6, 4};

/// The largest length that is good, where no array is that long.
template <typename Key, typename Entry>
void check_most_keys(Entry entry) {
  const std::vector<Key> keys(kEight.begin(), kEight.end());
  require_result(call(entry, Null(), bitonic::kMostKeys), Result::null_pointer, kNotTooMany);
  require_result(call(entry, Host("keys", keys), bitonic::kMostKeys), Result::host_pointer,
                 kNotTooMany);
}

/// Two of these keys are larger than a float made of bytes 0x7f.
const std::vector<float> kLargerThanPadding = {std::numeric_limits<float>::infinity(), 1.0f,
                                               std::numeric_limits<float>::max(), 2.0f, 3.0f};
constexpr const char* kPaddingLabel =
    "5 keys, two of them larger than a padding of bytes 0x7f, which is 3.39e38";

// ---- what every stage from the second on must refuse or survive ---------------------------------

template <typename Key, typename Entry>
void check_refusals(Entry entry) {
  const std::vector<Key> eight(kEight.begin(), kEight.end());
  // One key is in order already, but its pointer is looked at, too.
  for (const std::size_t n : {5, 1}) require_result(call(entry, Null(), n), Result::null_pointer);
  for (const std::size_t n : {8, 1})
    require_result(call(entry, Host("keys", eight), n), Result::host_pointer);
  const std::vector<Key> in_order = oracle::sorted(eight);  // nothing that pinned memory shows
  require_result(judge().call(with_pinned_buffers(prepare(entry, Host("keys", in_order), 8))),
                 Result::host_pointer);
  for (const Reply& reply : {call(entry, Null(), 0), call(entry, Host("keys", eight), 0),
                             call(entry, InOut("keys", eight), 0)})
    require_result(reply, Result::sorted, ": there is nothing to sort");
  for (const std::size_t n : kTooMany) {
    const Reply reply = call(entry, InOut("keys", eight), n);
    require_result(reply, Result::bad_length);
    require_untouched(reply, "keys", eight);
    require_result(call(entry, Null(), n), Result::bad_length, kLengthFirst);
    require_result(call(entry, Host("keys", eight), n), Result::bad_length, kLengthFirst);
  }
}

/// If no memory is left, or only for few allocations, the keys must be sorted without more of it,
/// or stay unchanged.
template <typename Key, typename Entry>
void check_without_memory(Entry entry) {
  for (const std::size_t n : within_reach({5, 1000, 5000, 20000})) {
    const Keys made = make_labelled(KeyShape::shuffled, n, judge().options().seed);
    const std::vector<Key> keys(made.values.begin(), made.values.end());
    const PreparedCall sort = prepare(entry, InOut("keys", keys), n);
    for (std::uint32_t granted = 0; granted <= kMostGranted; ++granted) {
      if (!is_sampled(granted, kMostGranted + 1)) continue;
      const Reply reply = judge().call(with_memory_for(granted, sort));
      if (reply.value<Result>() == Result::out_of_memory)
        require_untouched(reply, "keys", keys);
      else
        require_sorted(reply, keys, made.label);
    }
  }
}

template <typename Entry>
void check_pair_refusals(Entry entry) {
  const std::vector<unsigned> values = make_values(8, 1);
  require_result(call(entry, Null(), InOut("values", values), 8), Result::null_pointer);
  require_result(call(entry, InOut("keys", kEight), Null(), 8), Result::null_pointer);
  for (const std::size_t n : {8, 1})
    for (const Reply& reply : {call(entry, Host("keys", kEight), InOut("values", values), n),
                               call(entry, InOut("keys", kEight), Host("values", values), n)}) {
      require_result(reply, Result::host_pointer);
      require_untouched(reply, "keys", kEight);
      require_untouched(reply, "values", values);
    }
  const std::vector<float> in_order = oracle::sorted(kEight);  // nothing that pinned memory shows
  for (const PreparedCall& pinned :
       {prepare(entry, Host("keys", in_order), InOut("values", values), 8),
        prepare(entry, InOut("keys", in_order), Host("values", values), 8)})
    require_result(judge().call(with_pinned_buffers(pinned)), Result::host_pointer);
  require_result(call(entry, InOut("keys", kEight), Null(), bitonic::kMostKeys),
                 Result::null_pointer, kNotTooMany);
  require_result(call(entry, Host("keys", kEight), InOut("values", values), bitonic::kMostKeys),
                 Result::host_pointer, kNotTooMany);
  for (const Reply& reply : {call(entry, Null(), Null(), 0),
                             call(entry, Host("keys", kEight), Host("values", values), 0)})
    require_result(reply, Result::sorted, ": there is nothing to sort");
  for (const std::size_t n : kTooMany) {
    require_result(call(entry, InOut("keys", kEight), InOut("values", values), n),
                   Result::bad_length);
    require_result(call(entry, Null(), Null(), n), Result::bad_length, kLengthFirst);
    require_result(call(entry, InOut("keys", kEight), Null(), n), Result::bad_length, kLengthFirst);
  }
}

template <typename Entry>
void check_pairs_without_memory(Entry entry) {
  for (const std::size_t n : within_reach({5, 1000, 5000, 20000})) {
    const Keys keys = make_labelled(KeyShape::few_keys, n, judge().options().seed);
    const std::vector<unsigned> values = make_values(n, 1);
    const PreparedCall sort =
        prepare(entry, InOut("keys", keys.values), InOut("values", values), n);
    for (std::uint32_t granted = 0; granted <= kMostGranted; ++granted) {
      if (!is_sampled(granted, kMostGranted + 1)) continue;
      const Reply reply = judge().call(with_memory_for(granted, sort));
      if (reply.value<Result>() != Result::out_of_memory) {
        require_sorted_pairs(reply, keys.values, values, keys.label);
        continue;
      }
      require_untouched(reply, "keys", keys.values);
      require_untouched(reply, "values", values);
    }
  }
}

/// Launches are counted on the CPU backend only; a GPU's count is 0. A few more than `steps` may
/// prepare the keys, in a padded copy for example, and bring them back.
inline void allow_launches(const Reply& reply, std::uint64_t steps) {
  constexpr std::uint64_t kOthers = 4;
  const std::uint64_t most = steps + kOthers;
  if (reply.statistics().launches > most)
    fail(Verdict::wrong_answer, reply.description() + " made " +
                                    std::to_string(reply.statistics().launches) +
                                    " launches, but the contract allows " + std::to_string(most));
}

/// How often kTile must be doubled to reach n.
inline std::uint64_t doublings(std::size_t n) {
  return n <= bitonic::kTile ? 0 : std::bit_width((n - 1) / bitonic::kTile);
}

inline std::uint64_t shared_launches(std::size_t n) {
  std::uint64_t most = 1;
  for (std::uint64_t l = 1; l <= doublings(n); ++l) most += l + 1;
  return most;
}

inline std::uint64_t registers_launches(std::size_t n) {
  std::uint64_t most = 1;
  for (std::uint64_t l = 1; l <= doublings(n); ++l) most += (l + 1) / 2 + 1;
  return most;
}

}  // namespace bitonic::tests
