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
#include "ranks.hpp"
#include "sequence_check.hpp"
#include "strings.hpp"

using namespace warpwise;
using namespace rank_sort::tests;
using datasets::kAllShapes;
using datasets::kDistinctShapes;
using datasets::KeyShape;
namespace oracle = rank_sort::oracle;

namespace {

constexpr int kParts = 16;  // a thread with more of the keys than one in so many may sort alone

/// For sizes of which each has one shape.
constexpr std::array kTies = {KeyShape::few_keys, KeyShape::with_nan, KeyShape::two_keys,
                              KeyShape::not_negative, KeyShape::stretches};

/// Every number of keys that all differ, in no order or in sorted runs.
template <typename Body>
void for_every_distinct_keys(const Body& body) {
  for (const std::size_t n : every_size_once(kEverySize)) {
    const std::uint64_t seed = judge().options().seed + n;
    body(n % 4 == 0 ? make_labelled(KeyShape::runs, n, seed) : make_distinct_floats(n, seed));
  }
  for (const std::size_t n : once_within_reach({1030}))
    body(make_labelled(KeyShape::runs, n, judge().options().seed + n));
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
  note_sort_alone(reply, n, kOfEachKey);
  if (n == 0) require_no_launch(reply);
}

void check_global(const Keys& keys) {
  const std::size_t n = keys.values.size();
  require_global(call(ENTRY(rank_sort::global), In("in", keys.values), Out<float>("out", n), n),
                 keys);
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

TEST_CASE("global sorts every number of keys", "[global]") {
  for_every_distinct_keys(check_global);
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
  // Counted under the checker only. Threads beyond may help to load, as all of a block do: on
  // average they make less than half as many accesses as the busiest thread.
  const std::uint64_t ready = std::max<std::uint64_t>(threads, largest);
  const std::uint64_t shares = reply.statistics().longest_share * (threads + ready);
  if (shares < 2 * reply.statistics().accesses)
    fail(Verdict::wrong_answer, reply.description() +
                                    ": more threads work than the contract grants, " +
                                    std::to_string(threads) +
                                    "; those of the last block that are "
                                    "beyond do nothing");
  require_few_launches(reply, n);
  if (n == 0) return require_no_launch(reply);
  const std::size_t least = std::min<std::size_t>(n, threads);
  require_threads(reply, least, std::to_string(threads) + ", of which no more than n are needed");
  if (threads >= kParts) note_sort_alone(reply, n, kOfEachKey);
}

}  // namespace

TEST_CASE("strided serves more keys than threads", "[strided]") {
  for_each_input(kDistinctShapes, 1025, [](const Keys& keys) {
    for (const int threads : {1, 7, 32, 100}) check_strided(keys, threads);
  });
}

TEST_CASE("strided serves a remainder that threads do not divide", "[strided]") {
  // The last: one thread is more than whole blocks of 96, 160 or 192.
  for (const auto& [n, threads] :
       {std::pair{1000, 300}, {1001, 500}, {2049, 1024}, {257, 256}, {970, 961}, {640, 640}})
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

/// A few keys and 2^30 threads, or a few less: as many blocks. A GPU launches all; here three run.
TEST_CASE("strided launches as many threads as the contract grants", "[strided]") {
  constexpr std::size_t kMostThreads = std::size_t{1} << 30;
  for (const std::size_t n : once_within_reach({20})) {
    const Keys keys = make_distinct_floats(n, judge().options().seed + n);
    std::mt19937_64 random(judge().options().seed);
    const std::size_t threads = kMostThreads - datasets::below(random, 32);
    const PreparedCall whole = prepare(ENTRY(rank_sort::strided), In("in", keys.values),
                                       Out<float>("out", n), n, threads);
    const auto reply = judge().call_in_part(with_few_blocks(whole));
    if (!reply) continue;
    require_written(*reply, keys.label, reply->buffer<float>("out"), sorted(keys.values));
    require_threads(*reply, n, "as many as are granted, of which no more than n are needed");
  }
}

TEST_CASE("strided serves every number of keys and of threads", "[strided]") {
  std::mt19937_64 random(judge().options().seed);
  for (const std::size_t size : every_size_once(kEverySize)) {
    const std::size_t other = 1 + datasets::below(random, kEverySize);
    for (const auto& [n, threads] : {std::pair{size, other}, {other, size}})
      check_strided(make_distinct_floats(n, judge().options().seed + n), static_cast<int>(threads));
  }
}

// ---- stages 3 and 4 -----------------------------------------------------------------------------

TEST_CASE("stable keeps the order of equal keys and puts NaN last", "[stable]") {
  for_each_input(kAllShapes, 1025, [](const Keys& keys) {
    check_pairs(ENTRY(rank_sort::stable), keys, oracle::ascending);
  });
}

TEST_CASE("stable keeps the order of many zeros, in keys that fall or rise", "[stable]") {
  for_falling_and_rising([](const Keys& keys) {
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

TEST_CASE("descending keeps the order of many zeros, in keys that fall or rise", "[descending]") {
  for_falling_and_rising([](const Keys& keys) {
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

TEST_CASE("stable sorts every number of pairs", "[stable]") {
  for_every_size_once(kTies, kEverySize, [](const Keys& keys) {
    check_pairs(ENTRY(rank_sort::stable), keys, oracle::ascending);
  });
}

TEST_CASE("descending sorts every number of pairs", "[descending]") {
  for_every_size_once(kTies, kEverySize, [](const Keys& keys) {
    check_pairs(ENTRY(rank_sort::descending), keys, oracle::descending);
  });
}

// ---- stage 5 ------------------------------------------------------------------------------------

TEST_CASE("fixed_strings sorts by unsigned bytes", "[strings]") {
  for (const std::size_t n : kBoundarySizes)
    for (const std::size_t width : {1, 3, 8})
      if (n <= 513)
        check_fixed_strings(make_strings(n, width, width, judge().options().seed + n), width);
}

TEST_CASE("fixed_strings and strings tell all bytes apart", "[strings]") {
  for (const std::size_t n : within_reach({256}))
    for (const std::size_t before : {std::uint64_t{0}, 1 + below_by_seed(8)}) {
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
  // and than 20 bits count
  for (const std::size_t width : once_within_reach({(std::size_t{1} << 20) + 3}))
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

/// What compares words of 8, 16 or 32 bytes may take the bytes after the end for zeros.
TEST_CASE("strings tells an end from zeros next to the end of a word", "[strings]") {
  std::vector<std::string> strings;
  for (const std::size_t word : {8, 16, 32})
    for (std::size_t length = word - 2; length <= word + 1; ++length) {
      const std::string before(length, 'x');
      for (const char* after : {"y", "\xE9", ""}) strings.push_back(before + after);
      for (const std::size_t zeros : {2, 1, 9, 0})
        strings.push_back(before + std::string(zeros, '\0'));
    }
  check_strings(strings, std::to_string(strings.size()) + " strings that end next to a word's end");
}

TEST_CASE("strings compares beyond a long common prefix", "[strings]") {
  std::vector<std::string> strings;
  for (int i = 0; i < 40; ++i)
    strings.push_back(std::string(300, 'x') + std::to_string(i * 7 % 20));
  check_strings(strings, "40 strings, each twice, that differ after 300 equal bytes");
}

TEST_CASE("strings compares every byte of long strings", "[strings]") {
  // More than 16 and 20 bits count. No program knows how many are enough.
  std::mt19937_64 random(judge().options().seed);
  const std::size_t more = datasets::below(random, 100'000);
  for (const std::size_t prefix : once_within_reach({(std::size_t{1} << 20) + more})) {
    std::vector<std::string> strings;
    // The last bytes of a string may be compared otherwise, and two side by side as a word.
    for (const char* bytes : {"a", "d", "c", "b", "za", "ay", "xza", "xay"})
      strings.push_back(std::string(prefix, 'x') + bytes + std::string(16, 'x'));
    check_strings(strings, "8 strings that differ after many equal bytes");
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

TEST_CASE("fixed_strings and strings sort every number of strings, of every width", "[strings]") {
  const std::uint64_t seed = judge().options().seed;
  std::mt19937_64 random(seed);
  for (const std::size_t size : every_size_once(kEverySize / 2)) {
    const std::size_t width = 1 + datasets::below(random, 8), few = 2 + datasets::below(random, 8);
    check_fixed_strings(make_strings(size, width, width, seed + size), width);
    check_fixed_strings(make_similar_strings(few, size, seed + size), size);
    check_strings(make_strings(size, 0, width, seed + size),
                  std::to_string(size) + " strings of 0 to " + std::to_string(width) + " bytes");
  }
}

// ---- stage 6 ------------------------------------------------------------------------------------

namespace {

void require_tiled(const Reply& reply, const Keys& keys) {
  require_sorted(reply, keys);
  require_few_launches(reply, keys.values.size());
  note_sort_alone(reply, keys.values.size(), kOfEachKey);
  if (keys.values.empty()) require_no_launch(reply);
}

void check_tiled(const Keys& keys) {
  const std::size_t n = keys.values.size();
  require_tiled(call(ENTRY(rank_sort::tiled), In("in", keys.values), Out<float>("out", n), n),
                keys);
}

}  // namespace

TEST_CASE("tiled sorts everything that stable sorts", "[tiled]") {
  for_each_input(kAllShapes, 2049, check_tiled);
}

TEST_CASE("tiled keeps the order of many zeros, in keys that fall or rise", "[tiled]") {
  for_falling_and_rising(check_tiled);
}

TEST_CASE("tiled sorts arrays of many tiles", "[tiled]") {
  // The last: a tile of one key, where tiles have 96, 144, 256, 384, 576 or 1024 keys.
  constexpr std::array kShapes = {KeyShape::shuffled, KeyShape::with_nan, KeyShape::stretches};
  for_each_large_size({8192, 5000, 9217}, kShapes, [](std::size_t n, KeyShape shape) {
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

TEST_CASE("tiled sorts every number of keys", "[tiled]") {
  for_every_size_once(kTies, kEverySize * 3 / 4, check_tiled);
}
