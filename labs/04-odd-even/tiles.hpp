// Sorts that make many phases in each launch, by tiles or runs: what is checked of them.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "odd_even.hpp"
#include "phases.hpp"

namespace odd_even::tests {

using namespace warpwise;

/// Checks a sort by value alone: 0 and -0 in any order, but as many of each as before.
inline void require_by_value(const Reply& reply, const Keys& keys) {
  require_sequence(reply, keys.label, oracle::zeros_settled(reply.buffer<float>("keys")),
                   oracle::zeros_settled(oracle::sorted(keys.values)), not_descending);
  if (keys.values.empty()) require_no_launch(reply);
}

inline Reply check_tiled(const Keys& keys) {
  const Reply reply = call(ENTRY(odd_even::tiled), InOut("keys", keys.values), keys.values.size());
  require_by_value(reply, keys);
  constexpr std::size_t kOfEachKey = 8;  // of a thread with a quarter of them, or more
  note_work_alone(reply, keys.values.size(), kOfEachKey);
  const std::size_t granted = 2 + keys.values.size() / 32;
  if (reply.statistics().launches > granted)  // counted on the CPU backend only
    fail(Verdict::wrong_answer, reply.description() + " on " + keys.label + ": " +
                                    std::to_string(reply.statistics().launches) +
                                    " launches, but at most " + std::to_string(granted) +
                                    " are granted: make many phases in each launch");
  return reply;
}

/// Keys in order but for groups of four in reverse, and for three: those at both ends are swapped
/// with their neighbours, and the smallest of all is in the middle.
inline Keys keys_with_long_way(std::size_t n) {
  Keys keys = make_labelled(KeyShape::sorted, n, judge().options().seed);
  reverse_groups(keys.values, kGroup / 2);
  std::rotate(keys.values.begin(), keys.values.begin() + 1, keys.values.begin() + n / 2 + 1);
  std::swap(keys.values[0], keys.values[1]);
  std::swap(keys.values[n - 1], keys.values[n - 2]);
  return keys;
}

constexpr std::uint32_t kFirstLaunches = 2;  // so few show where keys are after them

/// Whether both ends of the array have changed: what serves a tile in each launch has made a round.
inline bool have_ends_changed(const std::vector<float>& given, const std::vector<float>& got) {
  return got[0] != given[0] && got.back() != given.back();
}

/// Where some launches have served all keys, they have sorted the groups, which takes few phases.
inline void require_all_but_the_smallest_in_order(const Reply& reply, std::vector<float> keys,
                                                  std::vector<float> sorted) {
  keys.erase(std::ranges::min_element(keys));
  sorted.erase(sorted.begin());
  const std::size_t wrong = first_difference(keys, sorted);
  if (wrong < sorted.size())
    fail(Verdict::wrong_answer, reply.description() + ": near index " + std::to_string(wrong) +
                                    " keys are not in order, or lost, where groups of four were in "
                                    "reverse: each phase covers all keys");
}

/// The smallest key goes one place in each phase. How far it goes in the third launch and the
/// fourth shows how many phases they make; all launches together make n. A key may wait for its
/// first partner in one phase. Says nothing if the host has asked for a flag, which launches that
/// did not run would set, or if the key can go no further.
inline void require_all_phases(const PreparedCall& whole, const std::vector<float>& given,
                               const std::vector<float>& earlier,
                               const std::vector<float>& sorted) {
  const std::optional<Reply> reply =
      judge().call_in_part(with_few_launches(whole, 0, 2 * kFirstLaunches));
  if (!reply || reply->statistics().bytes_to_host > 0) return;
  const std::vector<float> later = reply->buffer<float>("keys");
  const auto place = [smallest = std::ranges::min(later)](const std::vector<float>& keys) {
    return std::ranges::find(keys, smallest) - keys.begin();
  };
  const std::uint64_t n = later.size(), launches = reply->statistics().launches;
  const std::ptrdiff_t way = place(earlier) - place(later);
  if (way > static_cast<std::ptrdiff_t>(2 * kGroup) || have_ends_changed(given, later))
    require_all_but_the_smallest_in_order(*reply, later, sorted);
  if (place(later) > 0 && earlier.size() > static_cast<std::size_t>(place(earlier)) && way > 0 &&
      launches * static_cast<std::uint64_t>(way + 1) < kFirstLaunches * n)
    fail(Verdict::wrong_answer, reply->description() + ": " + std::to_string(launches) +
                                    " launches, of which two move a key by " + std::to_string(way) +
                                    " places; " + std::to_string(n) + " keys take as many phases");
}

/// A call that may take too long. With `few` only its first launches run. Each phase covers all
/// keys: where these launches have put the first pair in order, the last pair is so, too.
inline void check_tiled_in_part(std::size_t n, bool few) {
  const Keys keys = keys_with_long_way(n);
  const std::vector<float> sorted = oracle::sorted(keys.values);
  const auto of_size = [](std::size_t size) {
    return prepare(ENTRY(odd_even::tiled), InOut("keys", keys_with_long_way(size).values), size);
  };
  const auto part = [&](std::size_t size) {
    return with_few_launches(of_size(size), 0, kFirstLaunches);
  };
  const PreparedCall whole = of_size(n);
  const auto reply = judge().call_in_part(few ? part(n) : whole);
  if (!reply) return few ? require_an_end(part, of_size, n) : void();
  const std::vector<float> got = reply->buffer<float>("keys");
  if (!few || kGpu)
    return require_sequence(*reply,
                            std::to_string(n) + " keys" + kGroupsOfFour + ", and three far away",
                            got, sorted, not_descending);
  require_all_phases(whole, keys.values, got, sorted);
  if (got[0] == keys.values[1] && got.back() != sorted.back())
    fail(Verdict::wrong_answer, reply->description() +
                                    " with its first launches: the first keys are in "
                                    "order, the last two are not: each phase covers all keys");
}

/// What sorts an array in some launches, each of many phases: a few of them take no longer than
/// the whole. A merge sort or a network has sorted pieces by then, but no group between two.
inline void require_phases_of_all_keys(std::size_t n) {
  const Keys keys = keys_with_long_way(n);
  const PreparedCall whole = prepare(ENTRY(odd_even::tiled), InOut("keys", keys.values), n);
  const auto reply = judge().call_in_part(with_few_launches(whole, 0, kFirstLaunches));
  if (!reply || reply->statistics().launches <= 2 * kFirstLaunches) return;
  require_all_phases(whole, keys.values, reply->buffer<float>("keys"),
                     oracle::sorted(keys.values));
}

/// A call on these keys of which three blocks of each launch run, and no more than a quarter. None
/// if it took too long: blocks that wait for others by hand wait for ever; or if it failed: who
/// merges a run that was not sorted may well write one place twice. A GPU runs all blocks.
template <typename Entry>
std::optional<Reply> call_with_few_blocks(Entry entry, const Keys& keys, std::uint32_t launches) {
  constexpr double kSeconds = 4;
  if (kGpu) return std::nullopt;
  const PreparedCall whole = prepare(entry, InOut("keys", keys.values), keys.values.size());
  return judge().call_in_part(with_few_launches(with_few_blocks_together(whole), 0, launches),
                              kSeconds);
}

/// Where each key that is there was in the input, which has no key twice; the number of keys for
/// what is no key of the input.
inline std::vector<std::size_t> origins(const std::vector<float>& keys,
                                        const std::vector<float>& got) {
  std::vector<std::pair<float, std::size_t>> places;
  for (std::size_t i = 0; i < keys.size(); ++i) places.emplace_back(keys[i], i);
  std::ranges::sort(places);
  std::vector<std::size_t> from;
  for (const float key : got) {
    const auto place = std::ranges::lower_bound(places, std::pair(key, std::size_t{0}));
    from.push_back(place != places.end() && place->first == key ? place->second : keys.size());
  }
  return from;
}
/// Whether the blocks that ran did the work of all, as those do that take tiles from a queue.
inline bool most_moved(const std::vector<std::size_t>& from) {
  std::size_t moved = 0;
  for (std::size_t to = 0; to < from.size(); ++to)
    moved += from[to] != to && from[to] < from.size();
  return moved > from.size() / 2;
}

/// The checker can take so many keys if few blocks run. They are a little more than 2^15: in
/// reverse the last merge of a merge sort brings keys far. A GPU's judge sees this run alone.
inline std::vector<std::size_t> size_for_few_blocks() {
  const auto all = once_within_reach({36'000 + below_by_seed(4000)});
  return all.empty() ? one_beyond_reach(40'000, 36'000) : all;
}
constexpr std::size_t kFewestBlocks = 4;  // so that no tile and its halo are most of the array

inline bool came_far(std::size_t from, std::size_t to, std::size_t n) {
  return from < n && (from > to ? from - to : to - from) > n / 4 * 3;
}

/// Keys in reverse. A key goes from place to place by blocks whose tiles are on its way, so none
/// goes far: the others did not run. A block of another sort brings a key to any place at once, by
/// few launches. More would let a key go along with tiles that change places from launch to launch.
inline void require_short_ways(std::size_t n, std::size_t fewest_blocks) {
  constexpr std::uint32_t kLaunches = 24;  // of a merge sort of single keys, and some more
  const Keys keys = make_labelled(KeyShape::reversed, n, judge().options().seed + n);
  const auto reply = call_with_few_blocks(ENTRY(odd_even::tiled), keys, kLaunches);
  if (!reply || reply->statistics().largest_grid < fewest_blocks) return;
  const std::vector<std::size_t> from = origins(keys.values, reply->buffer<float>("keys"));
  if (most_moved(from)) return;
  for (std::size_t to = 0; to < n; ++to)
    if (came_far(from[to], to, n))
      fail(Verdict::wrong_answer,
           reply->description() + " on " + keys.label + ": the key from index " +
               std::to_string(from[to]) + " is at index " + std::to_string(to) +
               ", though most blocks on this way did not run. Keys have to move from neighbour "
               "to neighbour, tile by tile; this is another algorithm");
}

/// Keys that have come to their places alone: those beside them have not moved.
struct Alone {
  std::size_t moved = 0;  // all that have, alone or not
  std::size_t far = 0, last_far = 0;
  std::size_t placed = 0, last_placed = 0;  // where the sorted array has them
};
inline Alone keys_alone(const std::vector<std::size_t>& from, const std::vector<float>& got,
                        const std::vector<float>& sorted) {
  const std::size_t n = from.size();
  const auto rests = [&](std::size_t i) { return from[i] == i || from[i] == n; };
  Alone alone;
  for (std::size_t to = 1; to + 1 < n; ++to) {
    if (rests(to)) continue;
    ++alone.moved;
    if (!rests(to - 1) || !rests(to + 1)) continue;
    if (came_far(from[to], to, n)) ++alone.far, alone.last_far = to;
    if (got[to] == sorted[to]) ++alone.placed, alone.last_placed = to;
  }
  return alone;
}

/// Shuffled keys. A round moves a key by one run at most, or it brings a whole piece of two runs.
/// In a rank sort a block spreads its keys over the whole array: far from where they were, alone
/// among keys that have not moved, and each where it stays. That takes few launches, and may be
/// three keys, if a block serves one.
inline void require_keys_in_runs(std::size_t n) {
  constexpr std::uint32_t kLaunches = 4;  // with one for a copy at the beginning or the end
  constexpr std::size_t kMostFar = 7;     // at the ends of pieces, and of many one in 32
  const Keys keys = make_labelled(KeyShape::shuffled, n, judge().options().seed + n);
  const auto reply = call_with_few_blocks(ENTRY(odd_even::merge_split), keys, kLaunches);
  if (!reply || reply->statistics().largest_grid < kFewestBlocks) return;
  const std::vector<float> got = reply->buffer<float>("keys");
  const std::vector<std::size_t> from = origins(keys.values, got);
  const Alone alone = keys_alone(from, got, oracle::sorted(keys.values));
  const bool far = alone.far > kMostFar && alone.far * 32 > alone.moved;
  // A run and a short one may be all: then the keys of the short one are placed, too.
  if (!far && (alone.placed < 2 || alone.placed * 3 <= alone.moved)) return;
  const std::size_t last = far ? alone.last_far : alone.last_placed;
  fail(Verdict::wrong_answer,
       reply->description() + " on " + keys.label + ": the key from index " +
           std::to_string(from[last]) + " is at index " + std::to_string(last) + ", as " +
           std::to_string((far ? alone.far : alone.placed) - 1) + " others are " +
           (far ? "far from where they were" : "where they have to be at the end") +
           ", alone among keys that have not moved. A round brings a key to the next run at most; "
           "this is another algorithm");
}

inline void require_merge_split(const Reply& reply, const Keys& keys) {
  require_by_value(reply, keys);
  require_few_launches(reply, keys.values.size());
  // A run of each thread, merged to a copy and brought back.
  constexpr std::size_t kOfEachKey = 8;
  note_sort_alone(reply, keys.values.size(), kOfEachKey);
  require_few_bytes_to_host(reply, 64 + keys.values.size() / 32);  // a run has 32 keys, or more
}
inline void check_merge_split(const Keys& keys) {
  require_merge_split(
      call(ENTRY(odd_even::merge_split), InOut("keys", keys.values), keys.values.size()), keys);
}

/// More tiles of 256 keys than 10 bits number, and more keys than 16 bits count.
constexpr std::size_t kManyTiles = 270'001;

/// Shapes for arrays of many tiles. Reversed keys need all phases.
constexpr KeyShape kLongShapes[] = {KeyShape::extremes, KeyShape::shuffled, KeyShape::reversed};

/// More rounds than 32 if a run fits 48 KB of shared memory. In reverse, all of them are needed.
/// Who is slow has short runs, and made many rounds of smaller arrays.
inline void check_more_runs() {
  for (const std::size_t n : once_within_reach({420'001})) {
    const Keys keys = make_labelled(KeyShape::reversed, n, judge().options().seed + n);
    const auto reply = judge().call_in_part(
        prepare(ENTRY(odd_even::merge_split), InOut("keys", keys.values), n));
    if (reply) require_merge_split(*reply, keys);
  }
}

/// Keys in order, but for neighbours at `step` and its multiples, up to `last`. If the place of the
/// second one is an even multiple of the length of a run, they are in two runs that only the odd
/// rounds merge. None is at an odd multiple, unless the length has as many factors of two as the
/// step: the first round changes nothing. A call that is too slow says nothing.
inline void check_pairs_between_runs(std::size_t step, std::size_t last) {
  const std::size_t n = last + last / 8;
  Keys keys = make_labelled(KeyShape::sorted, n, 0);
  for (std::size_t place = step; place <= last; place += step)
    std::swap(keys.values[place - 1], keys.values[place]);
  const std::string others =
      last == step ? "" : ", and at every multiple of " + std::to_string(step);
  keys.label = std::to_string(n) + " keys in order, but those at " + std::to_string(last - 1) +
               " and " + std::to_string(last) + others + " are swapped";
  const auto reply = judge().call_in_part(
      prepare(ENTRY(odd_even::merge_split), InOut("keys", keys.values), n));
  if (reply) require_merge_split(*reply, keys);
}
inline void check_clean_first_rounds() {
  constexpr std::size_t kMultiple = 2 * (1 << 12) * 3 * 5;  // of many lengths, to 12,288
  for (const std::size_t place : once_within_reach({kMultiple / 8, kMultiple}))
    check_pairs_between_runs(place, place);
  // All numbers of warps in a block, each a power of two times an odd one up to 31; the shorter
  // array for short runs, which take long.
  for (const std::size_t step : once_within_reach({1 << 8, 1 << 11}))
    check_pairs_between_runs(step, 31 * step);
}

/// Short runs take many rounds, of which each takes long here if warps merge by shuffles. So a call
/// that is too slow is no fault if that had to be expected after a smaller array: at worst, time
/// grows with the square of the size.
inline void check_merge_splits_while_in_time() {
  using Clock = std::chrono::steady_clock;
  constexpr double kExpected = 4;  // so many times as long is still no surprise
  const double limit = judge().options().seconds;
  // 36,864 and 2^17 are whole runs of many lengths: one key is left.
  double last_seconds = 0;
  std::size_t last = 0;
  for (const std::size_t n : within_reach({4096, 10007, 36'865, 65536, 131073}))
    for (const KeyShape shape : kLongShapes) {
      const Keys keys = make_labelled(shape, n, judge().options().seed + n);
      const PreparedCall whole =
          prepare(ENTRY(odd_even::merge_split), InOut("keys", keys.values), n);
      const auto start = Clock::now();
      const std::optional<Reply> reply = judge().call_in_part(whole, limit);
      const double growth = last == 0 ? 0 : static_cast<double>(n) / static_cast<double>(last);
      if (!reply && last_seconds * growth * growth * kExpected > limit) return;
      if (!reply)
        fail(Verdict::timed_out, whole.description + ": the call did not end; one with " +
                                     std::to_string(last) + " keys took " +
                                     std::to_string(last_seconds) + " s");
      require_merge_split(*reply, keys);
      last = n;
      last_seconds = std::chrono::duration<double>(Clock::now() - start).count();
    }
}

}  // namespace odd_even::tests
