// What "correct" means for lab 04, stage by stage. A test's tag is the stage it belongs to.
#include <numeric>

#include "catch.hpp"
#include "endings.hpp"
#include "inputs.hpp"
#include "launch_check.hpp"
#include "odd_even.hpp"
#include "oracle.hpp"
#include "phases.hpp"
#include "populations.hpp"
#include "sequence_check.hpp"
#include "tiles.hpp"

using namespace warpwise;
using namespace odd_even::tests;
using datasets::kOrderedShapes;
using datasets::KeyShape;
namespace oracle = odd_even::oracle;

namespace {

/// For sizes of which each has one shape.
constexpr std::array kRandomShapes = {KeyShape::shuffled, KeyShape::extremes, KeyShape::runs,
                                      KeyShape::two_keys, KeyShape::not_negative,
                                      KeyShape::stretches};

}  // namespace

// ---- stage 1 ------------------------------------------------------------------------------------

namespace {

Reply check_phases(const Keys& keys) {
  const Reply reply = check_keys(ENTRY(odd_even::phases), keys);
  // The host needs nothing: n phases are n phases. But some ask for a flag after each, and end
  // early.
  constexpr std::uint64_t kRounds = 64;
  std::vector<float> work = keys.values;
  const std::uint64_t needed = oracle::serial_phases(work, std::less<>());
  require_few_bytes_to_host(reply, std::max(kRounds, needed + 3));
  allow_phases(reply, keys.values.size());
  require_light_phases(reply, keys.values.size(), 16);
  return reply;
}

/// A kernel with a loop over all phases, launched n times, would sort the small inputs and take
/// minutes for the others. Keys in reverse, all in one block: after some launches none is much
/// further.
template <typename Entry>
void check_no_key_runs_ahead(Entry entry) {
  if (kGpu) return;  // there every launch runs, and many phases in each take no minutes
  constexpr int kKeys = 60, kLaunches = 4, kPreparing = 16;
  const Keys keys = make_labelled(KeyShape::reversed, kKeys, judge().options().seed);
  const std::optional<Reply> reply = judge().call_in_part(with_few_launches(
      prepare(entry, InOut("keys", keys.values), keys.values.size()), 0, kLaunches));
  if (!reply || reply->statistics().launches < kKeys / 2) return;
  const std::vector<float> got = reply->buffer<float>("keys");
  for (int to = 0; to < kKeys; ++to) {
    const auto from =
        std::find(keys.values.begin(), keys.values.end(), got[to]) - keys.values.begin();
    if (from < kKeys && std::abs(from - to) > kLaunches + kPreparing)
      fail(Verdict::wrong_answer, reply->description() + " on " + keys.label +
                                      ": the key from index " + std::to_string(from) +
                                      " is at index " + std::to_string(to) +
                                      " after them; a phase moves a key by one place, and the "
                                      "contract asks for one phase in "
                                      "each launch: the loop over the phases is the host's");
  }
}

}  // namespace

TEST_CASE("phases swaps two keys", "[phases]") {
  check_phases({{2, 1}, "the keys 2, 1"});
}

TEST_CASE("phases sorts the last key, with and without a partner", "[phases]") {
  check_phases({{2, 3, 1}, "the keys 2, 3, 1"});
  check_phases({{4, 3, 2, 1}, "the keys 4, 3, 2, 1"});
  check_phases({{5, 4, 3, 2, 1}, "the keys 5, 4, 3, 2, 1"});
}

TEST_CASE("phases moves a key by one place in each launch", "[phases]") {
  check_no_key_runs_ahead(ENTRY(odd_even::phases));
}

TEST_CASE("phases sorts keys of every size and shape", "[phases]") {
  for_each_input(kOrderedShapes, 2049, check_phases);
  for (const std::size_t n : one_pair_more()) check_phases(keys_swapped_at_end(n));
}

TEST_CASE("phases sorts more keys than a few blocks have threads", "[phases]") {
  for (const std::size_t n : once_within_reach({4099})) {
    const Keys keys = make_labelled(KeyShape::reversed, n, judge().options().seed);
    // Only here, after all small inputs: what waits for a grid by a block's barrier is a race
    // first.
    require_launches(check_phases(keys), n, "one for each of n phases");
  }
  for (const std::size_t n : one_beyond_reach(1500))
    require_launches(check_phases(make_labelled(KeyShape::reversed, n, judge().options().seed)), n,
                     "one for each of n phases");
}

TEST_CASE("phases makes one phase in each of its first launches", "[phases]") {
  check_first_phases(ENTRY(odd_even::phases), true);
}

/// One number is odd, the other even.
TEST_CASE("phases compares more keys than 16 bits count", "[phases]") {
  for (const std::size_t n : once_within_reach({kMany, kMany + 3})) {
    Keys keys = make_labelled(KeyShape::sorted, n, judge().options().seed);
    const std::vector<float> sorted = keys.values;
    reverse_groups(keys.values, kGroup / 2);
    std::swap(keys.values[n - 1], keys.values[n - 2]);
    const auto whole = [&](std::size_t size) {
      const std::vector<float> some(keys.values.end() - static_cast<std::ptrdiff_t>(size),
                                    keys.values.end());
      return prepare(ENTRY(odd_even::phases), InOut("keys", some), size);
    };
    const auto part = [&](std::size_t size) { return with_few_launches(whole(size), size); };
    const std::optional<Reply> reply = judge().call_in_part(part(n), judge().options().seconds);
    if (!reply) return require_an_end(part, whole, n);
    require_sorted_at_once(
        *reply, std::to_string(n) + " keys" + kGroupsOfFour + ", and the last two swapped",
        reply->buffer<float>("keys"), sorted, not_descending);
    // What asks for a flag may end early. What does not cannot know that fewer phases are enough.
    if (reply->statistics().bytes_to_host == 0)
      require_launches(*reply, n, "one for each of n phases");
  }
}

TEST_CASE("phases sorts every number of keys", "[phases]") {
  for_every_size_once(kRandomShapes, kEverySize / 2, check_phases);
}

// ---- stage 2 ------------------------------------------------------------------------------------

namespace {

void check_early_exit(const Keys& keys) {
  const Reply reply = check_keys(ENTRY(odd_even::early_exit), keys);
  std::vector<float> work = keys.values;
  const std::size_t needed = oracle::serial_phases(work, std::less<>());
  const std::size_t granted = std::min(needed + 3, keys.values.size() + 1);
  if (reply.statistics().launches > granted)  // counted on the CPU backend only
    fail(Verdict::wrong_answer,
         reply.description() + " on " + keys.label + ": " +
             std::to_string(reply.statistics().launches) + " launches, but only the first " +
             std::to_string(needed) + " phases change something: at most " +
             std::to_string(granted) + " launches are granted");
  require_launches(reply, needed, "one for each phase, and " + std::to_string(needed) +
                                      " phases change something");
  require_light_phases(reply, keys.values.size(), 16);
}

void check_way(const std::vector<int>& ranks, const std::string& label) {
  check_early_exit({close_together(ranks), "keys in order, but " + label});
}

}  // namespace

TEST_CASE("early_exit goes on after one clean phase", "[early-exit]") {
  check_early_exit(
      {{1, 3, 2, 4}, "the keys 1, 3, 2, 4, where the first even phase changes nothing"});
  check_early_exit(
      {{2, 1, 4, 3}, "the keys 2, 1, 4, 3, where the first odd phase changes nothing"});
}

TEST_CASE("early_exit goes on wherever the one key is that moves", "[early-exit]") {
  for_each_way(130, 0, 130, check_way);
  for (const std::size_t n : within_reach({1030}))  // threads at the ends of blocks
    for (const std::size_t place : {256, 512, 1024})
      for_each_way(n, place - 5, place + 3, check_way);
  // And at the end of many blocks, and somewhere, by the seed.
  for (const std::size_t n : once_within_reach({kMany}))
    for (const std::size_t place : {n - 1, kWay + below_by_seed(n - 2 * kWay)})
      for_each_way(n, place, place + 1, check_way);
  for_each_long_way(check_way);
}

TEST_CASE("early_exit goes on after any number of changes", "[early-exit]") {
  for ([[maybe_unused]] const std::size_t n : once_within_reach({1 << 18})) {
    const std::vector<int> ranks = groups_of_four();
    check_early_exit(
        {{ranks.begin(), ranks.end()}, std::to_string(ranks.size()) + " keys" + kGroupsOfFour});
  }
}

TEST_CASE("early_exit makes one phase in each of its first launches", "[early-exit]") {
  check_first_phases(ENTRY(odd_even::early_exit), false);
}

TEST_CASE("early_exit sorts keys of every size and shape, and stops in time", "[early-exit]") {
  for_each_input(kOrderedShapes, 2049, check_early_exit);
}

TEST_CASE("early_exit stops early if keys are sorted", "[early-exit]") {
  for (const std::size_t n : within_reach({100, 1000, 5000, 20000}))
    for (const KeyShape shape : {KeyShape::sorted, KeyShape::all_equal, KeyShape::nearly_sorted})
      check_early_exit(make_labelled(shape, n, judge().options().seed + n));
  for (const std::size_t n : one_beyond_reach(3000))
    check_early_exit(make_labelled(KeyShape::nearly_sorted, n, judge().options().seed + n));
  for (const std::size_t n : once_within_reach({kMany})) check_early_exit(keys_swapped_at_end(n));
  for (const std::size_t n : one_pair_more()) check_early_exit(keys_swapped_at_end(n));
}

TEST_CASE("early_exit sorts every number of keys", "[early-exit]") {
  for_every_size_once(kRandomShapes, kEverySize / 2, check_early_exit);
}

// ---- stages 3 and 4 -----------------------------------------------------------------------------

TEST_CASE("records sinks order 0, then sorts by level, then by value", "[records]") {
  const std::vector<Record> records = {{0, 9, 9, 0}, {2, 1, 5, 1}, {1, 3, 1, 2},
                                       {0, 8, 7, 3}, {3, 3, 4, 4}, {1, 1, 5, 5}};
  check_records(ENTRY(odd_even::records), {records, 2, "six records"});
}

TEST_CASE("records sorts populations of every size", "[records]") {
  for_each_population(
      513, [](const Population& input) { check_records(ENTRY(odd_even::records), input); });
}

TEST_CASE("records goes on wherever the one record is that moves", "[records]") {
  check_records_on_the_way(ENTRY(odd_even::records));
  check_last_pair(ENTRY(odd_even::records));
}

TEST_CASE("records moves points of 1 to 16 dimensions", "[records]") {
  for (int dimensions = 1; dimensions <= 16; ++dimensions)
    check_records(ENTRY(odd_even::records),
                  make_population(Mix::random, 100 + dimensions, dimensions,
                                  judge().options().seed + dimensions));
  for (const std::size_t n : within_reach({700}))
    check_records(ENTRY(odd_even::records),
                  make_population(Mix::random, n, 16, judge().options().seed + n));
}

TEST_CASE("records counts across many blocks", "[records]") {
  for (const std::size_t n : within_reach({1024, 1025, 5000}))
    for (const Mix mix : {Mix::sorted, Mix::none_live})
      check_records(ENTRY(odd_even::records),
                    make_population(mix, n, 1, judge().options().seed + n));
}

TEST_CASE("records sorts more records than a block has threads", "[records]") {
  for (const std::size_t n : once_within_reach({2600}))
    check_records(ENTRY(odd_even::records),
                  make_population(Mix::wide, n, 1, judge().options().seed + n));
  for (const std::size_t n : one_beyond_reach(2600))
    check_records(ENTRY(odd_even::records),
                  make_population(Mix::sorted, n, 1, judge().options().seed + n));
  check_many_records(ENTRY(odd_even::records));
  check_groups_of_records(ENTRY(odd_even::records));
}

TEST_CASE("records sorts every number of records", "[records]") {
  for_every_population(
      [](const Population& input) { check_records(ENTRY(odd_even::records), input); });
}

TEST_CASE("texture sorts populations of every size", "[texture]") {
  for_each_population(513, check_texture);
}

/// By the seed: no program knows at which numbers of records its reads are counted.
TEST_CASE("texture reads order, level and value", "[texture]") {
  for (const std::size_t n : one_by_seed(90, 130)) {
    check_all_through_textures(n);
    check_nothing_beside_textures(n);
  }
}

TEST_CASE("texture sorts more records than a block has threads", "[texture]") {
  for (const std::size_t n : once_within_reach({2600}))
    check_texture(make_population(Mix::wide, n, 1, judge().options().seed + n));
  for (const std::size_t n : one_beyond_reach(2600))
    check_texture(make_population(Mix::sorted, n, 1, judge().options().seed + n));
  check_many_records(ENTRY(odd_even::texture));
  check_groups_of_records(ENTRY(odd_even::texture));
}

TEST_CASE("texture goes on wherever the one record is that moves", "[texture]") {
  check_records_on_the_way(ENTRY(odd_even::texture));
  check_last_pair(ENTRY(odd_even::texture));
}

TEST_CASE("texture moves points of 1 to 16 dimensions", "[texture]") {
  for (int dimensions = 1; dimensions <= 16; ++dimensions)
    check_texture(make_population(Mix::random, 100 + dimensions, dimensions,
                                  judge().options().seed + dimensions));
}

TEST_CASE("texture sorts every number of records", "[texture]") {
  for_every_population(check_texture);
}

// ---- stages 5 and 6 -----------------------------------------------------------------------------

TEST_CASE("tiled sorts keys of every size and shape", "[tiled]") {
  for_each_input(kOrderedShapes, 1025, check_tiled);
}

TEST_CASE("tiled sorts arrays of many tiles", "[tiled]") {
  for_each_large_size({2049, 4096, 5001}, kLongShapes, [](std::size_t n, KeyShape shape) {
    check_tiled(make_labelled(shape, n, judge().options().seed + n));
  });
  // More than a grid of 64 blocks holds. All phases for many more keys would take some too long.
  for (const std::size_t n : once_within_reach({10007})) {
    Keys keys = make_labelled(KeyShape::reversed, n, judge().options().seed + n);
    keys.values.front() = INFINITY;
    keys.values.back() = -INFINITY;
    const Reply reply = check_tiled(keys);
    constexpr std::uint64_t kAllAtOnce = 16;  // so few launches are no part of the work
    const bool few = kGpu || reply.statistics().launches > kAllAtOnce;
    check_tiled_in_part(few ? kManyTiles : 20001, few);
    if (!few) require_phases_of_all_keys(20001);
  }
  for (const std::size_t n : one_by_seed(1100, 4000))
    check_tiled(make_labelled(KeyShape::shuffled, n, judge().options().seed + n));
  for (const std::size_t n : one_beyond_reach(4000)) {
    const Keys keys = make_labelled(KeyShape::extremes, n, judge().options().seed + n);
    if (check_tiled(keys).statistics().launches > 2)  // not all phases at once
      require_phases_of_all_keys(8200 + n);  // a merge sort has two long runs left
  }
}

/// Phases come in launches of so many, and n is seldom a multiple of that. Reversed keys need all
/// n.
TEST_CASE("tiled makes the last phases, too", "[tiled]") {
  for (std::size_t size = 400; size < 600; ++size)
    for (const std::size_t n : once_within_reach({size}))
      check_tiled(make_labelled(KeyShape::reversed, n, judge().options().seed + n));
}

/// What skips phases of keys that seem to be in order, by a look at each lane's or at their ends.
TEST_CASE("tiled sorts keys of which only few are out of order", "[tiled]") {
  for (const std::size_t n : size_of_seams()) check_tiled(make_seams(n));
}

TEST_CASE("tiled moves keys between neighbours only", "[tiled]") {
  // more than two blocks hold in shared memory, and a little more than 2^17: in reverse the last
  // merge of a merge sort brings keys far
  for (const std::size_t n : once_within_reach({140'000 + below_by_seed(4000)}))
    require_short_ways(n, 2);  // one block may do all
  for (const std::size_t n : size_for_few_blocks()) require_short_ways(n, kFewestBlocks);
}

TEST_CASE("tiled sorts every number of keys", "[tiled]") {
  for_every_size_once(kRandomShapes, kEverySize * 2 / 5, check_tiled);
}

TEST_CASE("tiled moves a key from one end to the other", "[tiled]") {
  for (const std::size_t n : within_reach({1000, 4000})) {
    Keys keys = make_labelled(KeyShape::sorted, n, 0);
    std::rotate(keys.values.begin(), keys.values.end() - 1, keys.values.end());
    check_tiled({keys.values, std::to_string(n) + " sorted keys after the largest"});
    std::rotate(keys.values.begin(), keys.values.begin() + 2, keys.values.end());
    check_tiled({keys.values, std::to_string(n) + " sorted keys before the smallest"});
  }
}

TEST_CASE("merge_split sorts keys of every size and shape", "[merge-split]") {
  for_each_input(kOrderedShapes, 2049, check_merge_split);
}

TEST_CASE("merge_split keeps keys in runs", "[merge-split]") {
  // more than four blocks hold in shared memory: there are five runs
  for (const std::size_t n : once_within_reach({240'000 + below_by_seed(4000)}))
    require_keys_in_runs(n);
  for (const std::size_t n : size_for_few_blocks()) require_keys_in_runs(n);
}

TEST_CASE("merge_split sorts arrays of many runs", "[merge-split]") {
  check_clean_first_rounds();
  check_merge_splits_while_in_time();
  check_more_runs();
  for (const std::size_t n : one_by_seed(2100, 40000))
    check_merge_split(make_labelled(KeyShape::shuffled, n, judge().options().seed + n));
  // Two long runs, and some more: blocks that sort runs in place meet at their ends only.
  for (const std::size_t low : {8704, 16384})
    for (const std::size_t n : one_beyond_reach(2 * low, low))
      check_merge_split(make_labelled(KeyShape::extremes, n, judge().options().seed + n));
  for (const std::size_t n : one_beyond_reach(8704))
    check_merge_split(make_labelled(KeyShape::extremes, n, judge().options().seed + n));
}

TEST_CASE("merge_split sorts keys of which only few are out of order", "[merge-split]") {
  for (const std::size_t n : size_of_seams()) check_merge_split(make_seams(n));
}

TEST_CASE("merge_split sorts every number of keys", "[merge-split]") {
  for_every_size_once(kRandomShapes, kEverySize * 3 / 4, check_merge_split);
}
