// What a phase may cost, where a few phases leave the keys, and inputs in which one key moves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "endings.hpp"
#include "inputs.hpp"
#include "launch_check.hpp"
#include "oracle.hpp"
#include "sequence_check.hpp"

namespace odd_even::tests {

using namespace warpwise;
using datasets::KeyShape;

inline const auto not_descending = [](float a, float b) { return a <= b; };

// More elements than 16 bits count. They must need few phases.
constexpr std::size_t kMany = 66001;

template <typename Entry>
Reply check_keys(Entry entry, const Keys& keys) {
  Reply reply = call(entry, InOut("keys", keys.values), keys.values.size());
  require_sequence(reply, keys.label, reply.buffer<float>("keys"), oracle::sorted(keys.values),
                   not_descending);
  if (keys.values.empty()) require_no_launch(reply);
  return reply;
}

/// One phase takes a few accesses for each element, `of_each` at most, which threads share.
inline void require_light_phases(const Reply& reply, std::size_t n, std::size_t of_each) {
  const std::uint64_t most = of_each * n + 2000;
  require_light_launches(reply, most, "one phase in each");
  require_hands(reply, n, most);
}

/// n phases are enough for any input; a few launches more prepare the work or complete it.
inline void allow_phases(const Reply& reply, std::size_t n, std::size_t others = 16) {
  if (reply.statistics().launches > n + others)  // counted on the CPU backend only
    fail(Verdict::wrong_answer,
         reply.description() + " made " + std::to_string(reply.statistics().launches) +
             " launches; n phases sort any input, one launch for each, and " +
             std::to_string(others) + " more may prepare or complete them");
}

/// For an input that two phases sort, and a call of which few launches ran: whatever is missing
/// after them, they have sorted it, or have left the elements where only later launches would find
/// them.
template <typename T, typename InOrder>
void require_sorted_at_once(const Reply& reply, const std::string& input,
                            const std::vector<T>& got, const std::vector<T>& sorted,
                            InOrder in_order) {
#ifndef WARPWISE_GPU
  if (!multiset_difference(got, sorted).empty()) return;
#endif
  require_sequence(reply, input, got, sorted, in_order);
}

/// The keys after so many phases, the first of which begins with pair `first`, 0 or 1.
inline std::vector<float> after_phases(std::vector<float> keys, int phases, std::size_t first) {
  for (int phase = 0; phase < phases; ++phase)
    for (std::size_t i = (first + phase) % 2; i + 1 < keys.size(); i += 2)
      if (keys[i + 1] < keys[i]) std::swap(keys[i], keys[i + 1]);
  return keys;
}

constexpr std::size_t kGroup = 4;
constexpr const char* kGroupsOfFour = " in order, but for groups of four in reverse";

/// From element `first` on, groups of four are put in reverse. `first` is two more than a multiple
/// of four.
template <typename T>
void reverse_groups(std::vector<T>& elements, std::size_t first) {
  for (std::size_t at = first; at + kGroup <= elements.size(); at += kGroup)
    std::reverse(elements.begin() + at, elements.begin() + at + kGroup);
}

constexpr int kOthers = 4;  // so many launches may prepare the work or bring it back

/// Whether the first launches of a call, and at most so many at its end, have led from `given` to
/// `got` by phases: so many at the beginning, from the even or the odd pairs on, and a few at the
/// end.
inline bool phases_lead(const std::vector<float>& given, const std::vector<float>& got,
                        int launches, int at_end) {
  for (int before = launches - kOthers; before <= launches; ++before)
    for (const std::size_t first : {0, 1})
      for (const std::size_t next : {0, 1})
        for (int last = 0; last <= at_end; ++last)
          if (after_phases(after_phases(given, before, first), last, next) == got) return true;
  return false;
}

/// A part of a call: its first launches, and those from number `end` on unless it is 0. False if it
/// does not tell where the phases are: what keeps the keys in other bits meanwhile cannot be
/// judged; nor can what works on a copy, if the end of a call is not known.
template <typename Entry>
bool check_part_by_phases(Entry entry, const Keys& keys, int launches, std::size_t end) {
  // A loop may wait for a flag that a launch would clear. So many small launches take no time.
  constexpr double kMoment = 1;
  const PreparedCall whole = prepare(entry, InOut("keys", keys.values), keys.values.size());
  const std::optional<Reply> reply =
      judge().call_in_part(with_few_launches(whole, end, launches), kMoment);
  if (!reply || kGpu) return false;
  const std::vector<float> got = reply->buffer<float>("keys");
  if (!multiset_difference(got, keys.values).empty()) return false;
  if (end == 0 && got == keys.values) return false;
  if (!phases_lead(keys.values, got, launches, end > 0 ? kOthers : 0))
    fail(Verdict::wrong_answer, reply->description() + " on " + keys.label +
                                    ": after these launches the keys are not where as many "
                                    "phases leave them; the contract asks for one phase in each");
  return true;
}

/// By the seed: another sort with launches for show has the keys elsewhere after so many launches.
template <typename Entry>
void check_first_phases(Entry entry, bool end_is_known) {
  std::mt19937_64 random(judge().options().seed);
  const int launches = 8 + static_cast<int>(datasets::below(random, 16));
  for (const std::size_t n : one_by_seed(300, 900)) {
    const Keys keys = make_labelled(KeyShape::shuffled, n, judge().options().seed + n);
    bool seen = false;  // an even and an odd number: no launch may make two phases ahead
    for (const int some : {launches, launches + 1})
      seen = check_part_by_phases(entry, keys, some, 0) || seen;
    if (!seen && end_is_known) check_part_by_phases(entry, keys, launches, n);
  }
}

/// One pair more than whole blocks of any usual size have threads: 3842 for 96, 192, 320 or 384.
inline std::vector<std::size_t> one_pair_more() {
  return once_within_reach({66, 130, 258, 514, 1026, 2050, 3842});
}

inline Keys keys_swapped_at_end(std::size_t n) {
  Keys keys = make_labelled(KeyShape::sorted, n, judge().options().seed);
  std::swap(keys.values[n - 1], keys.values[n - 2]);
  return {keys.values, std::to_string(n) + " keys, of which the last two are swapped"};
}

constexpr std::size_t kWay = 6;  // a thread has two of these places in a row

/// Calls body(ranks, label) with n ranks in order, of which one is some places too far to the left
/// or to the right: each phase moves this one alone, so a single thread knows that the sort goes
/// on. It begins at each place from `first` up to `end`.
template <typename Body>
void for_each_way(std::size_t n, std::size_t first, std::size_t end, const Body& body) {
  for (std::size_t place = first; place < end; ++place) {
    if (!is_sampled(place - first, end - first)) continue;
    std::vector<int> ranks(n);
    std::iota(ranks.begin(), ranks.end(), 0);
    const auto at = ranks.begin() + static_cast<std::ptrdiff_t>(place);
    const std::string from = std::to_string(kWay) + " places from index " + std::to_string(place);
    if (place + kWay < n) {
      std::rotate(at, at + kWay, at + kWay + 1);
      body(ranks, "one has to go right, " + from);
      std::iota(ranks.begin(), ranks.end(), 0);
    }
    if (place < kWay) continue;
    std::rotate(at - kWay, at - kWay + 1, at + 1);
    body(ranks, "one has to go left, " + from);
  }
}

/// The same with the whole way, from end to end: each thread in turn knows alone that the sort goes
/// on.
template <typename Body>
void for_each_long_way(const Body& body) {
  // Where the host asks after an even phase and an odd one, both are of one thread if the way leads
  // right.
  for (const auto& [n, to_the_right] : {std::pair{3301, true}, {1300, false}}) {
    if (once_within_reach({static_cast<std::size_t>(n)}).empty()) continue;
    std::vector<int> ranks(n);
    for (int i = 0; i < n; ++i) ranks[i] = (i + (to_the_right ? n - 1 : 1)) % n;
    body(ranks, to_the_right ? "the first is the last" : "the last is the first");
  }
}

/// Floats above 1 in the order of the ranks. Neighbours differ in their last bit: a difference, but
/// a small one.
inline std::vector<float> close_together(const std::vector<int>& ranks) {
  std::vector<float> keys;
  for (const int rank : ranks) keys.push_back(1 + static_cast<float>(rank) * 0x1p-23f);
  return keys;
}

/// Ranks of groups of four in reverse, and between the first group and the others some in order.
/// Four phases sort them, in which 2^17, 2^16, 2^17 and 2^16 pairs change places: none, for who
/// counts them in 16 bits. How many are in order is by the seed, so no program knows the number of
/// all. It is a multiple of 128: a grid has no remainder. The other groups reach over every
/// multiple of four, so whoever sorts pieces of the array on their own leaves a pair at their ends.
inline std::vector<int> groups_of_four() {
  constexpr std::size_t kGroups = 1 << 16;
  std::mt19937_64 random(judge().options().seed);
  const std::size_t in_order = 128 * (1 + datasets::below(random, 63));
  std::vector<int> ranks(kGroup * kGroups + in_order);
  std::iota(ranks.begin(), ranks.end(), 0);
  std::reverse(ranks.begin(), ranks.begin() + kGroup);
  reverse_groups(ranks, kGroup + in_order - kGroup / 2);
  return ranks;
}

}  // namespace odd_even::tests
