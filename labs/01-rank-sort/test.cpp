// What "correct" means for lab 01, stage by stage. A test's tag is the stage it belongs to.
#include <algorithm>
#include <array>
#include <chrono>
#include <climits>

#include "catch.hpp"
#include "endings.hpp"
#include "inputs.hpp"
#include "launch_check.hpp"
#include "oracle.hpp"
#include "rank_sort.hpp"
#include "sequence_check.hpp"

using namespace warpwise;
using datasets::kAllShapes;
using datasets::kDistinctShapes;
using datasets::KeyShape;
namespace oracle = rank_sort::oracle;

namespace {

const auto not_descending = [](float a, float b) { return !oracle::ascending(b, a); };

std::vector<float> sorted(const std::vector<float>& keys) {
  return oracle::arrange(keys, oracle::order(keys, oracle::ascending));
}

void require_sorted(const Reply& reply, const Keys& keys) {
  require_sequence(reply, keys.label, reply.buffer<float>("out"), sorted(keys.values),
                   not_descending);
}

// One size for each stage that makes n * n comparisons: more keys than a signed number of 16 bits
// counts, and than a grid of 128 blocks of 256 threads has threads.
constexpr std::size_t kMany = 33000;
// So many where shuffles, which take a hundred times as long here as on a GPU, bring a key to its rank.
constexpr std::size_t kManyForShuffles = 10'007;
// Keys that may be NaN take several times as long to compare.
constexpr std::size_t kManyPairs = 16500;
constexpr std::size_t kManyStrings = 5000;
// More than 16 bits count, with the keys whose ranks are beyond at the end. Only few blocks run.
constexpr std::size_t kBeyond16Bits = 70'001;
// Under the checker a comparison takes longer again.
constexpr std::size_t kWatched = 2600;

/// So many elements, or more, a block is expected to have.
constexpr std::ptrdiff_t kInABlock = 32;

/// Only few blocks run, so the first and the last places of all belong to elements of the first block and
/// the last.
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
  // But the first of all stands among them, so that two sorted parts are not a sorted array.
  std::iter_swap(std::min_element(values.begin(), beyond, before), beyond);
}

/// Few different keys, and NaN for one in 14: of any bits, and enough to be last beyond 16 bits. Three of
/// four are equal to the one before, so equal keys meet at the end of any piece.
Keys make_ties(std::size_t n) {
  Keys keys = make_labelled(KeyShape::few_keys, n, judge().options().seed + n);
  std::mt19937_64 random(judge().options().seed + n);
  for (std::size_t i = 0; i < n; ++i) {
    const bool again = i > 0 && datasets::below(random, 4) > 0;
    if (again) keys.values[i] = keys.values[i - 1];
    if (!(again ? std::isnan(keys.values[i]) : datasets::below(random, 14) == 0)) continue;
    const auto payload = static_cast<std::uint32_t>(random()) & 0x803fffff;
    keys.values[i] = std::bit_cast<float>(0x7fc00000 | payload);
  }
  keys.label += ", and NaN";
  return keys;
}

/// Values of random bits, and the least and the greatest, which nobody draws.
std::vector<int> make_any_values(std::size_t n) {
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
  if (n == 0) require_no_launch(reply);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Tries a call with so many keys that n * n steps take too long: few blocks of each launch run. `check`
/// looks at what they have written, and returns how much that is. Where a launch needs what blocks of
/// another one were to make, that says little or nothing. But what sorts by several launches is often
/// fast, so the whole call gets a moment. It gets more if the blocks have written less than their share.
/// `prepared(n)` is the call with the first n elements.
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

/// As require_written(). But nothing counts as written if the last place is not: what belongs there stands at
/// the end of the input (put_last_those_beyond_16_bits), so the last block should bring it, unless it is very
/// small. Blocks may take the elements of others, the first ones again for example: the whole call tells.
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

/// So many threads share the keys: three blocks bring those of their threads to their places, and no
/// others. Few threads that sort, beside many that work for show, bring more.
void require_own_share(const Reply& reply, std::size_t written, std::size_t n, std::size_t threads) {
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

/// Tries a whole call with many keys. One that takes too long is tried with fewer, and in part: it may
/// be slow on a CPU alone. `require` looks at the reply to a whole call.
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

}  // namespace

// ---- stage 1 ------------------------------------------------------------------------------------

TEST_CASE("global sorts the article's five keys", "[global]") {
  const Keys keys{{1, 5, 2, 4, 7}, "the article's keys 1, 5, 2, 4, 7"};
  require_sorted(call(ENTRY(rank_sort::global), In("in", keys.values), Out<float>("out", 5), 5),
                 keys);
}

namespace {

void require_global(const Reply& reply, const Keys& keys) {
  const std::size_t n = keys.values.size();
  require_sorted(reply, keys);
  require_threads(reply, n, "one thread for every key");
  require_few_launches(reply, n);
  if (n == 0) require_no_launch(reply);
}

void check_global(const Keys& keys) {
  const std::size_t n = keys.values.size();
  require_global(call(ENTRY(rank_sort::global), In("in", keys.values), Out<float>("out", n), n), keys);
}

}  // namespace

TEST_CASE("global sorts distinct keys of every size", "[global]") {
  for_each_input(kDistinctShapes, 2049, check_global);
}

TEST_CASE("global sorts infinities, denormals and floats of random bits", "[global]") {
  for (const std::size_t n : within_reach({1, 2, 15, 100, 1000}))
    check_global(make_distinct_floats(n, judge().options().seed + n));
}

TEST_CASE("global sorts many keys", "[global]") {
  for (const std::size_t n : once_within_reach({kMany}))
    check_many(ENTRY(rank_sort::global), make_distinct_floats(n, judge().options().seed + n),
               require_global);
  for (const std::size_t n : one_beyond_reach(kWatched))
    check_global(make_distinct_floats(n, judge().options().seed + n));
}

TEST_CASE("global ranks more keys than 16 bits count", "[global]") {
  for (const std::size_t n : once_within_reach({kBeyond16Bits})) {
    Keys keys = make_distinct_floats(n, judge().options().seed + n);
    put_last_those_beyond_16_bits(keys.values, oracle::ascending);
    check_keys_beyond_16_bits(ENTRY(rank_sort::global), keys, n);
  }
}

// ---- stage 2 ------------------------------------------------------------------------------------

namespace {

void check_strided(const Keys& keys, int threads) {
  const std::size_t n = keys.values.size();
  const Reply reply = call(ENTRY(rank_sort::strided), In("in", keys.values), Out<float>("out", n),
                           n, threads);
  require_sorted(reply, keys);
  constexpr std::uint64_t kLargestBlock = 256;
  const std::uint64_t granted = threads + kLargestBlock - 1;
  const std::uint64_t largest = reply.statistics().largest_launch;  // on the CPU backend only
  const std::uint64_t launched = reply.statistics().threads;
  constexpr std::uint64_t kLaunches = 4;  // so many may prepare or complete the work
  if (largest > granted || launched > kLaunches * granted)
    fail(Verdict::wrong_answer, reply.description() + " launched " +
                                    std::to_string(largest > granted ? largest : launched) +
                                    " threads, but the contract grants " + std::to_string(threads) +
                                    ", rounded up to whole blocks of at most 256");
  // Counted under the checker only. Threads beyond may help to load, as all of a block do: on average they
  // make less than half as many accesses as the busiest thread.
  const std::uint64_t ready = std::max<std::uint64_t>(threads, largest);
  const std::uint64_t shares = reply.statistics().longest_share * (threads + ready);
  if (shares < 2 * reply.statistics().accesses)
    fail(Verdict::wrong_answer, reply.description() + ": more threads work than the contract grants, " +
                                    std::to_string(threads) + "; those of the last block that are "
                                    "beyond do nothing");
  require_few_launches(reply, n);
  if (n == 0) return require_no_launch(reply);
  const std::size_t least = std::min<std::size_t>(n, threads);
  require_threads(reply, least, std::to_string(threads) + ", of which no more than n are needed");
}

}  // namespace

TEST_CASE("strided serves more keys than threads", "[strided]") {
  for_each_input(kDistinctShapes, 1025, [](const Keys& keys) {
    for (const int threads : {1, 7, 32, 100}) check_strided(keys, threads);
  });
}

TEST_CASE("strided serves a remainder that threads do not divide", "[strided]") {
  for (const auto& [n, threads] : {std::pair{1000, 300}, {1001, 500}, {2049, 1024}, {257, 256}})
    check_strided(make_labelled(KeyShape::shuffled, n, judge().options().seed), threads);
  for (const std::size_t n : one_by_seed(260, 1500))
    for (const std::size_t threads : one_by_seed(35, 250))
      check_strided(make_labelled(KeyShape::shuffled, n, judge().options().seed),
                    static_cast<int>(threads));
}

TEST_CASE("strided ranks more keys than 16 bits count", "[strided]") {
  for (const std::size_t n : once_within_reach({kBeyond16Bits})) {
    Keys keys = make_distinct_floats(n, judge().options().seed + n);
    put_last_those_beyond_16_bits(keys.values, oracle::ascending);
    check_keys_beyond_16_bits(ENTRY(rank_sort::strided), keys, n, n);
  }
}

TEST_CASE("strided leaves spare threads idle", "[strided]") {
  for (const int n : {0, 1, 5, 33})
    for (const int threads : {64, 1000, 5000})
      check_strided(make_labelled(KeyShape::shuffled, n, judge().options().seed), threads);
}

TEST_CASE("strided sorts infinities, denormals and floats of random bits", "[strided]") {
  for (const std::size_t n : within_reach({100, 1000}))
    check_strided(make_distinct_floats(n, judge().options().seed + n), 33);
}

TEST_CASE("strided serves many keys with a single thread", "[strided]") {
  // No program knows how many keys of a thread are enough.
  for (const std::size_t n : one_by_seed(3000, 6000))
    check_strided(make_distinct_floats(n, judge().options().seed), 1);
}

TEST_CASE("strided serves many keys with many threads", "[strided]") {
  // As a float their product, divided by either, is a little less than the other.
  for (const std::size_t n : once_within_reach({8203}))
    check_strided(make_distinct_floats(n, judge().options().seed + n), 8188);
  for (const std::size_t n : once_within_reach({1000}))
    // The last: a product of keys and threads that 32 bits do not hold.
    for (const int threads : {65'537, 3'000'000})
      check_strided(make_distinct_floats(n, judge().options().seed + n), threads);
  for (const std::size_t n : one_beyond_reach(kWatched))
    check_strided(make_distinct_floats(n, judge().options().seed + n), 500);
}

// ---- stages 3 and 4 -----------------------------------------------------------------------------

TEST_CASE("stable keeps the order of equal keys and puts NaN last", "[stable]") {
  for_each_input(kAllShapes, 1025, [](const Keys& keys) {
    check_pairs(ENTRY(rank_sort::stable), keys, oracle::ascending);
  });
}

TEST_CASE("stable sorts many pairs", "[stable]") {
  for (const std::size_t n : once_within_reach({kManyPairs}))
    check_pairs(ENTRY(rank_sort::stable), make_ties(n), oracle::ascending);
  for (const std::size_t n : one_beyond_reach(kWatched))
    check_pairs(ENTRY(rank_sort::stable),
                make_labelled(KeyShape::few_keys, n, judge().options().seed + n),
                oracle::ascending);
}

TEST_CASE("stable ranks more pairs than 16 bits count", "[stable]") {
  check_pairs_beyond_16_bits(ENTRY(rank_sort::stable), oracle::ascending);
}

TEST_CASE("descending keeps the order of equal keys and puts NaN last", "[descending]") {
  for_each_input(kAllShapes, 1025, [](const Keys& keys) {
    check_pairs(ENTRY(rank_sort::descending), keys, oracle::descending);
  });
}

TEST_CASE("descending sorts many pairs", "[descending]") {
  for (const std::size_t n : once_within_reach({kManyPairs}))
    check_pairs(ENTRY(rank_sort::descending), make_ties(n), oracle::descending);
  for (const std::size_t n : one_beyond_reach(kWatched))
    check_pairs(ENTRY(rank_sort::descending),
                make_labelled(KeyShape::few_keys, n, judge().options().seed + n),
                oracle::descending);
}

TEST_CASE("descending ranks more pairs than 16 bits count", "[descending]") {
  check_pairs_beyond_16_bits(ENTRY(rank_sort::descending), oracle::descending);
}

// ---- stage 5 ------------------------------------------------------------------------------------

namespace {

/// n strings of bytes from a small alphabet that includes 0x00 and 0xE9. They make many ties, many
/// common prefixes, and bytes that are negative as signed char.
std::vector<std::string> make_strings(std::size_t n, std::size_t shortest, std::size_t longest,
                                      std::uint64_t seed) {
  constexpr char kAlphabet[] = {'a', 'b', '\xE9', '\0'};
  std::mt19937_64 random(seed);
  std::vector<std::string> strings(n);
  for (std::string& string : strings) {
    const std::size_t length = shortest + datasets::below(random, longest - shortest + 1);
    while (string.size() < length)
      string += kAlphabet[datasets::below(random, sizeof kAlphabet)];
  }
  return strings;
}

std::vector<char> concatenated(const std::vector<std::string>& strings) {
  std::vector<char> text;
  for (const std::string& string : strings) text.insert(text.end(), string.begin(), string.end());
  return text;
}

/// n strings of one length that differ from one another in two bytes at most, so that the first
/// difference of two strings is anywhere.
std::vector<std::string> make_similar_strings(std::size_t n, std::size_t length,
                                              std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> strings(n, make_strings(1, length, length, seed).front());
  for (std::string& string : strings)
    string[datasets::below(random, length)] = static_cast<char>(datasets::below(random, 256));
  // And two in no byte but the last.
  strings.front() = strings.back();
  strings.front().back() = 'b';
  strings.back().back() = 'a';
  return strings;
}

void check_fixed_strings(const std::vector<std::string>& strings, std::size_t width) {
  const std::size_t n = strings.size();
  const std::vector<char> text = concatenated(strings);
  const Reply reply = call(ENTRY(rank_sort::fixed_strings), In("in", text),
                           Out<char>("out", text.size()), width, n);
  const std::vector<char> out = reply.buffer<char>("out");
  std::vector<std::string> got;
  for (std::size_t i = 0; i < n; ++i) got.emplace_back(out.data() + i * width, width);
  require_sequence(reply, std::to_string(n) + " strings of " + std::to_string(width) + " bytes",
                   got, oracle::arrange(strings, oracle::order(strings, oracle::bytewise)),
                   [](const auto& a, const auto& b) { return a <= b; });
  require_few_launches(reply, n * width);
  if (n == 0) require_no_launch(reply);
}

/// The first string begins after `before` bytes of text that are no string.
void check_strings(const std::vector<std::string>& strings, const std::string& label,
                   std::size_t before = 0) {
  std::vector<int> offsets = {static_cast<int>(before)};
  for (const std::string& string : strings)
    offsets.push_back(offsets.back() + static_cast<int>(string.size()));
  std::vector<char> text(before, 'a');
  for (const char byte : concatenated(strings)) text.push_back(byte);
  text.insert(text.end(), before, 'b');
  const Reply reply = call(ENTRY(rank_sort::strings), In("text", text), In("offsets", offsets),
                           Out<int>("order", strings.size()), strings.size());
  const auto in_order = [&](int a, int b) {
    const int n = static_cast<int>(strings.size());
    return a >= 0 && a < n && b >= 0 && b < n && strings[a] <= strings[b];
  };
  require_sequence(reply, label, reply.buffer<int>("order"),
                   oracle::order(strings, oracle::bytewise), in_order);
  require_few_launches(reply, text.size() + strings.size());
  if (strings.empty()) require_no_launch(reply);
}

}  // namespace

TEST_CASE("fixed_strings sorts by unsigned bytes", "[strings]") {
  for (const std::size_t n : kBoundarySizes)
    for (const std::size_t width : {1, 3, 8})
      if (n <= 513)
        check_fixed_strings(make_strings(n, width, width, judge().options().seed + n), width);
}

TEST_CASE("fixed_strings and strings tell all bytes apart", "[strings]") {
  const std::uint64_t seed = judge().options().seed;
  for (const std::size_t n : within_reach({256}))
    for (const std::size_t before : {std::uint64_t{0}, 1 + seed % 8}) {
      std::vector<std::string> strings(n, std::string(before, 'a'));
      // From large to small: whoever takes two for equal does not change their places.
      for (std::size_t i = 0; i < n; ++i) strings[i] += static_cast<char>(n - 1 - i);
      check_fixed_strings(strings, before + 1);
      check_strings(strings, "256 strings with each byte at index " + std::to_string(before));
    }
}

TEST_CASE("fixed_strings and strings compare every byte of wide strings", "[strings]") {
  // Each leaves another remainder when bytes are compared by eights.
  for (const std::size_t width : {9, 16, 34, 69, 103, 260, 1030, 1035}) {
    const auto strings = make_similar_strings(40, width, judge().options().seed + width);
    check_fixed_strings(strings, width);
    check_strings(strings, "40 strings of " + std::to_string(width) + " bytes");
  }
  for (const std::size_t width : once_within_reach({(std::size_t{1} << 20) + 3}))  // and than 20 bits count
    check_fixed_strings(make_similar_strings(4, width, judge().options().seed), width);
}

TEST_CASE("fixed_strings sorts many strings", "[strings]") {
  for (const std::size_t n : once_within_reach({kManyStrings}))
    check_fixed_strings(make_strings(n, 5, 5, judge().options().seed + n), 5);
  for (const std::size_t n : one_beyond_reach(kWatched))
    check_fixed_strings(make_strings(n, 5, 5, judge().options().seed + n), 5);
}

TEST_CASE("strings sorts an index of strings of any length", "[strings]") {
  for (const std::size_t n : kBoundarySizes)
    if (n <= 513)
      check_strings(make_strings(n, 0, 6, judge().options().seed + n),
                    std::to_string(n) + " strings of 0 to 6 bytes");
}

TEST_CASE("strings sorts an index of many strings", "[strings]") {
  for (const std::size_t n : once_within_reach({kManyStrings}))
    check_strings(make_strings(n, 0, 30, judge().options().seed + n),
                  std::to_string(n) + " strings of 0 to 30 bytes");
  for (const std::size_t n : one_beyond_reach(kWatched))
    check_strings(make_strings(n, 0, 8, judge().options().seed + n),
                  std::to_string(n) + " strings of 0 to 8 bytes");
}

TEST_CASE("strings begins at the first offset, not at the first byte", "[strings]") {
  check_strings(make_strings(50, 0, 6, judge().options().seed),
                "50 strings of 0 to 6 bytes, 5 bytes after the beginning of the text", 5);
  check_strings({"b", "a"}, "two strings, 1 byte after the beginning of the text", 1);
}

TEST_CASE("strings puts a prefix before longer strings", "[strings]") {
  check_strings({"abc", "ab", "abcd", "", "a", "ab", "abd"}, "prefixes of each other");
}

TEST_CASE("strings compares beyond a long common prefix", "[strings]") {
  std::vector<std::string> strings;
  for (int i = 0; i < 40; ++i) strings.push_back(std::string(300, 'x') + std::to_string(i * 7 % 20));
  check_strings(strings, "40 strings, each twice, that differ after 300 equal bytes");
}

TEST_CASE("strings compares every byte of long strings", "[strings]") {
  // More than 16 and 20 bits count. No program knows how many are enough.
  std::mt19937_64 random(judge().options().seed);
  const std::size_t more = datasets::below(random, 100'000);
  for (const std::size_t prefix : once_within_reach({(std::size_t{1} << 20) + more})) {
    std::vector<std::string> strings;
    for (int i = 0; i < 4; ++i) strings.push_back(std::string(prefix, 'x') + char('a' + i * 3 % 4));
    check_strings(strings, "4 strings that differ after many equal bytes");
  }
}

TEST_CASE("fixed_strings and strings rank more strings than 16 bits count", "[strings]") {
  for (const std::size_t n : once_within_reach({kBeyond16Bits})) {
    auto strings = make_strings(n, 3, 3, judge().options().seed + n);
    put_last_those_beyond_16_bits(strings, oracle::bytewise);
    const std::vector<char> text = concatenated(strings);
    const std::vector<int> order = oracle::order(strings, oracle::bytewise);
    const std::string label = std::to_string(n) + " strings of 3 bytes";
    const std::vector<std::string> sorted = oracle::arrange(strings, order);
    const auto fixed = [&](std::size_t count) {
      return prepare(ENTRY(rank_sort::fixed_strings), In("in", first(text, 3 * count)),
                     Out<char>("out", 3 * count), 3, count);
    };
    check_part_or_whole(n, fixed, [&](const Reply& reply, bool all) {
      const std::vector<char> out = reply.buffer<char>("out");
      std::vector<std::string> got;
      for (std::size_t i = 0; i < n; ++i) got.emplace_back(out.data() + i * 3, 3);
      return require_share(reply, label, got, sorted, all);
    });
    std::vector<int> offsets;
    for (std::size_t i = 0; i <= n; ++i) offsets.push_back(static_cast<int>(3 * i));
    const auto indexed = [&](std::size_t count) {
      return prepare(ENTRY(rank_sort::strings), In("text", text),
                     In("offsets", first(offsets, count + 1)), Out<int>("order", count), count);
    };
    check_part_or_whole(n, indexed, [&](const Reply& reply, bool all) {
      return require_share(reply, label, reply.buffer<int>("order"), order, all);
    });
  }
}

TEST_CASE("strings compares lengths that differ by any number", "[strings]") {
  // Differences that 8 and 16 bits cut down, to another number or to one of another sign.
  std::vector<std::size_t> lengths = {1, 300, 0, 129, 257, 2, 128, 200, 256, 3, 385, 127};
  for (const std::size_t length : once_within_reach({33'000, 65'537, 65'536, 99'000, 65'665}))
    lengths.insert(lengths.begin(), length), lengths.push_back(length);
  std::vector<std::string> strings;
  for (const std::size_t length : lengths) strings.emplace_back(length, 'x');
  check_strings(strings, std::to_string(strings.size()) + " strings of the letter x");
}

// ---- stage 6 ------------------------------------------------------------------------------------

namespace {

void require_tiled(const Reply& reply, const Keys& keys) {
  require_sorted(reply, keys);
  require_few_launches(reply, keys.values.size());
  if (keys.values.empty()) require_no_launch(reply);
}

void check_tiled(const Keys& keys) {
  const std::size_t n = keys.values.size();
  require_tiled(call(ENTRY(rank_sort::tiled), In("in", keys.values), Out<float>("out", n), n), keys);
}

}  // namespace

TEST_CASE("tiled sorts everything that stable sorts", "[tiled]") {
  for_each_input(kAllShapes, 2049, check_tiled);
}

TEST_CASE("tiled sorts arrays of many tiles", "[tiled]") {
  constexpr std::array kShapes = {KeyShape::shuffled, KeyShape::few_keys, KeyShape::with_nan};
  for_each_large_size({8192, 5000, 10007}, kShapes, [](std::size_t n, KeyShape shape) {
    check_tiled(make_labelled(shape, n, judge().options().seed + n));
  });
}

TEST_CASE("tiled sorts many keys", "[tiled]") {
  for (const std::size_t n : once_within_reach({kMany}))
    check_many(ENTRY(rank_sort::tiled), make_ties(n), require_tiled);
  for (const std::size_t n : one_beyond_reach(kWatched))
    check_tiled(make_labelled(KeyShape::few_keys, n, judge().options().seed + n));
}

TEST_CASE("tiled ranks more keys than 16 bits count", "[tiled]") {
  for (const std::size_t n : once_within_reach({kBeyond16Bits})) {
    Keys keys = make_ties(n);
    put_last_those_beyond_16_bits(keys.values, oracle::ascending);
    check_keys_beyond_16_bits(ENTRY(rank_sort::tiled), keys, 0);
  }
}
