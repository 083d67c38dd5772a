// What "correct" means for lab 04, stage by stage. A test's tag is the stage it belongs to.
#include <bit>
#include <cfloat>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <numeric>

#include "catch.hpp"
#include "endings.hpp"
#include "inputs.hpp"
#include "launch_check.hpp"
#include "odd_even.hpp"
#include "oracle.hpp"
#include "sequence_check.hpp"

using namespace warpwise;
using datasets::kOrderedShapes;
using datasets::KeyShape;
namespace oracle = odd_even::oracle;

namespace {

const auto not_descending = [](float a, float b) { return a <= b; };

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

}  // namespace

// ---- stage 1 ------------------------------------------------------------------------------------

namespace {

/// What one phase takes is a few accesses for each key.
std::uint64_t accesses_of_a_phase(std::size_t n, std::size_t of_each) {
  return of_each * n + 2000;
}

/// n phases are enough for any input; a few launches more prepare the work or complete it.
void allow_phases(const Reply& reply, std::size_t n) {
  constexpr std::size_t kOthers = 16;
  if (reply.statistics().launches > n + kOthers)  // counted on the CPU backend only
    fail(Verdict::wrong_answer, reply.description() + " made " +
                                    std::to_string(reply.statistics().launches) +
                                    " launches; n phases sort any input, one launch for each");
}

Reply check_phases(const Keys& keys) {
  const Reply reply = check_keys(ENTRY(odd_even::phases), keys);
  // The host needs nothing: n phases are n phases. But some ask for a flag after each, and end early.
  constexpr std::uint64_t kRounds = 64;
  std::vector<float> work = keys.values;
  const std::uint64_t needed = oracle::serial_phases(work, std::less<>());
  require_few_bytes_to_host(reply, std::max(kRounds, needed + 3));
  allow_phases(reply, keys.values.size());
  require_hands(reply, keys.values.size());
  require_light_launches(reply, accesses_of_a_phase(keys.values.size(), 16), "one phase in each");
  return reply;
}

}  // namespace

namespace {

/// A kernel with a loop over all phases, launched n times, would sort the small inputs and take minutes
/// for the others. Keys in reverse, all in one block: after some launches none is much further.
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
    const auto from = std::find(keys.values.begin(), keys.values.end(), got[to]) - keys.values.begin();
    if (from < kKeys && std::abs(from - to) > kLaunches + kPreparing)
      fail(Verdict::wrong_answer,
           reply->description() + " on " + keys.label + ": the key from index " +
               std::to_string(from) + " is at index " + std::to_string(to) +
               " after them; a phase moves a key by one place, and the contract asks for one phase in "
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

namespace {

/// One pair more than whole blocks of any usual size have threads.
std::vector<std::size_t> one_pair_more() { return once_within_reach({66, 130, 258, 514, 1026, 2050}); }

Keys keys_swapped_at_end(std::size_t n) {
  Keys keys = make_labelled(KeyShape::sorted, n, judge().options().seed);
  std::swap(keys.values[n - 1], keys.values[n - 2]);
  return {keys.values, std::to_string(n) + " keys, of which the last two are swapped"};
}

}  // namespace

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
    // Only here, after all small inputs: what waits for a grid by a block's barrier is a race first.
    require_launches(check_phases(keys), n, "one for each of n phases");
  }
  for (const std::size_t n : one_beyond_reach(1500))
    require_launches(check_phases(make_labelled(KeyShape::reversed, n, judge().options().seed)), n,
                     "one for each of n phases");
}

namespace {

/// For an input that two phases sort, and a call of which few launches ran: whatever is missing after
/// them, they have sorted it, or have left the elements where only later launches would find them.
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
std::vector<float> after_phases(std::vector<float> keys, int phases, std::size_t first) {
  for (int phase = 0; phase < phases; ++phase)
    for (std::size_t i = (first + phase) % 2; i + 1 < keys.size(); i += 2)
      if (keys[i + 1] < keys[i]) std::swap(keys[i], keys[i + 1]);
  return keys;
}

constexpr std::size_t kGroup = 4;
constexpr const char* kGroupsOfFour = " in order, but for groups of four in reverse";

/// From element `first` on, groups of four are put in reverse. `first` is two more than a multiple of four.
template <typename T>
void reverse_groups(std::vector<T>& elements, std::size_t first) {
  for (std::size_t at = first; at + kGroup <= elements.size(); at += kGroup)
    std::reverse(elements.begin() + at, elements.begin() + at + kGroup);
}

constexpr int kOthers = 4;  // so many launches may prepare the work or bring it back

/// Whether the first launches of a call, and at most so many at its end, have led from `given` to `got`
/// by phases: so many at the beginning, from the even or the odd pairs on, and a few at the end.
bool phases_lead(const std::vector<float>& given, const std::vector<float>& got, int launches,
                 int at_end) {
  for (int before = launches - kOthers; before <= launches; ++before)
    for (const std::size_t first : {0, 1})
      for (const std::size_t next : {0, 1})
        for (int last = 0; last <= at_end; ++last)
          if (after_phases(after_phases(given, before, first), last, next) == got) return true;
  return false;
}

/// A part of a call: its first launches, and those from number `end` on unless it is 0. False if it does
/// not tell where the phases are: what keeps the keys in other bits meanwhile cannot be judged; nor can
/// what works on a copy, if the end of a call is not known.
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

}  // namespace

TEST_CASE("phases makes one phase in each of its first launches", "[phases]") {
  check_first_phases(ENTRY(odd_even::phases), true);
}

TEST_CASE("phases compares more keys than 16 bits count", "[phases]") {
  for (const std::size_t n : once_within_reach({kMany})) {
    Keys keys = make_labelled(KeyShape::sorted, n, judge().options().seed);
    const std::vector<float> sorted = keys.values;
    reverse_groups(keys.values, kGroup / 2);
    std::swap(keys.values[n - 1], keys.values[n - 2]);
    const auto whole = [&](std::size_t size) {
      const std::vector<float> some(keys.values.end() - static_cast<std::ptrdiff_t>(size), keys.values.end());
      return prepare(ENTRY(odd_even::phases), InOut("keys", some), size);
    };
    const auto part = [&](std::size_t size) { return with_few_launches(whole(size), size); };
    const std::optional<Reply> reply = judge().call_in_part(part(n), judge().options().seconds);
    if (!reply) return require_an_end(part, whole, n);
    require_sorted_at_once(*reply, std::to_string(n) + " keys" + kGroupsOfFour + ", and the last two swapped",
                           reply->buffer<float>("keys"), sorted, not_descending);
    // What asks for a flag may end early. What does not cannot know that fewer phases are enough.
    if (reply->statistics().bytes_to_host == 0) require_launches(*reply, n, "one for each of n phases");
  }
}

// ---- stage 2 ------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kWay = 6;  // a thread has two of these places in a row

/// Calls body(ranks, label) with n ranks in order, of which one is some places too far to the left or
/// to the right: each phase moves this one alone, so a single thread knows that the sort goes on.
/// It begins at each place from `first` up to `end`.
template <typename Body>
void for_each_way(std::size_t n, std::size_t first, std::size_t end, const Body& body) {
  for (std::size_t place = first; place < end; ++place) {
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

/// The same with the whole way, from end to end: each thread in turn knows alone that the sort goes on.
template <typename Body>
void for_each_long_way(const Body& body) {
  // Where the host asks after an even phase and an odd one, both are of one thread if the way leads right.
  for (const auto& [n, to_the_right] : {std::pair{3301, true}, {1300, false}}) {
    if (once_within_reach({static_cast<std::size_t>(n)}).empty()) continue;
    std::vector<int> ranks(n);
    for (int i = 0; i < n; ++i) ranks[i] = (i + (to_the_right ? n - 1 : 1)) % n;
    body(ranks, to_the_right ? "the first is the last" : "the last is the first");
  }
}

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
  require_light_launches(reply, accesses_of_a_phase(keys.values.size(), 16), "one phase in each");
  require_hands(reply, keys.values.size());
}

}  // namespace

namespace {

/// Ranks of groups of four in reverse, and between the first group and the others some in order. Four
/// phases sort them, in which 2^17, 2^16, 2^17 and 2^16 pairs change places: none, for who counts them in
/// 16 bits. How many are in order is by the seed, so no program knows the number of all. It is a multiple
/// of 128: a grid has no remainder. The other groups reach over every multiple of four, so whoever sorts
/// pieces of the array on their own leaves a pair at their ends.
std::vector<int> groups_of_four() {
  constexpr std::size_t kGroups = 1 << 16;
  std::mt19937_64 random(judge().options().seed);
  const std::size_t in_order = 128 * (1 + datasets::below(random, 63));
  std::vector<int> ranks(kGroup * kGroups + in_order);
  std::iota(ranks.begin(), ranks.end(), 0);
  std::reverse(ranks.begin(), ranks.begin() + kGroup);
  reverse_groups(ranks, kGroup + in_order - kGroup / 2);
  return ranks;
}
void check_way(const std::vector<int>& ranks, const std::string& label) {
  check_early_exit({{ranks.begin(), ranks.end()}, "keys in order, but " + label});
}

}  // namespace

TEST_CASE("early_exit goes on after one clean phase", "[early-exit]") {
  check_early_exit({{1, 3, 2, 4}, "the keys 1, 3, 2, 4, where the first even phase changes nothing"});
  check_early_exit({{2, 1, 4, 3}, "the keys 2, 1, 4, 3, where the first odd phase changes nothing"});
}

TEST_CASE("early_exit goes on wherever the one key is that moves", "[early-exit]") {
  for_each_way(130, 0, 130, check_way);
  for (const std::size_t n : within_reach({1030}))  // threads at the ends of blocks
    for (const std::size_t place : {256, 512, 1024}) for_each_way(n, place - 5, place + 3, check_way);
  // And at the end of many blocks, and somewhere, by the seed.
  for (const std::size_t n : once_within_reach({kMany}))
    for (const std::size_t place : {n - 1, kWay + judge().options().seed % (n - 2 * kWay)})
      for_each_way(n, place, place + 1, check_way);
  for_each_long_way(check_way);
}

TEST_CASE("early_exit goes on after any number of changes", "[early-exit]") {
  for ([[maybe_unused]] const std::size_t n : once_within_reach({1 << 18})) {
    const std::vector<int> ranks = groups_of_four();
    check_early_exit({{ranks.begin(), ranks.end()}, std::to_string(ranks.size()) + " keys" + kGroupsOfFour});
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

// ---- stages 3 and 4 -----------------------------------------------------------------------------

namespace odd_even::oracle {

// How a mistake is shown. The position is left out, because equal records differ only in it.
std::string show(const Record& record) {
  return std::to_string(record.order) + "/" + std::to_string(record.level) + "/" +
         warpwise::show(record.value);
}
std::string bits(const Record& record) {
  return warpwise::bits(record.order) + warpwise::bits(record.level) + warpwise::bits(record.value);
}

}  // namespace odd_even::oracle

namespace {

using oracle::Record;

struct Population {
  std::vector<Record> records;
  int dimensions;
  std::string label;
  std::uint64_t seed = 0;  // of the payload
};

enum class Mix { random, few, all_live, none_live, wide, sorted, reversed };
constexpr Mix kMixes[] = {Mix::random, Mix::few,    Mix::all_live, Mix::none_live,
                          Mix::wide,   Mix::sorted, Mix::reversed};
constexpr const char* kMixNames[] = {"random records",     "records with many ties",
                                     "live records",       "records of order 0",
                                     "records of any int", "sorted records",
                                     "reversed records"};

// Numbers that other types than int cut down or round, and levels whose difference overflows.
constexpr int kWideOrders[] = {0, 1, 256, 1 << 16, 1 << 24, INT_MAX};
constexpr int kWideLevels[] = {INT_MIN, INT_MIN + 1, -1,          0,       127,        128,     256,
                               1 << 16, 1 << 24,     (1 << 24) + 1, INT_MAX, INT_MAX - 1};

Population make_population(Mix mix, std::size_t n, int dimensions, std::uint64_t seed) {
  constexpr float kValues[] = {0.0f, -0.0f, 1.5f, -2.0f, INFINITY, -INFINITY, 1e-40f, FLT_MAX, -FLT_MAX};
  std::mt19937_64 random(seed);
  std::vector<Record> records(n);
  for (Record& record : records) {
    const bool dead = mix == Mix::none_live || (mix != Mix::all_live && random() % 3 == 0);
    record.order = dead ? 0 : 1 + static_cast<int>(datasets::below(random, 4));
    record.level = static_cast<int>(datasets::below(random, mix == Mix::few ? 2 : 50)) - 1;
    record.value = random() % 4 == 0 || mix == Mix::few
                       ? kValues[datasets::below(random, mix == Mix::few ? 3 : std::size(kValues))]
                       : static_cast<float>(datasets::below(random, 1000)) * 0.25f;
    if (mix != Mix::wide) continue;
    record.order = kWideOrders[datasets::below(random, std::size(kWideOrders))];
    record.level = kWideLevels[datasets::below(random, std::size(kWideLevels))];
  }
  if (mix == Mix::sorted || mix == Mix::reversed)
    std::stable_sort(records.begin(), records.end(), oracle::before);
  if (mix == Mix::reversed) std::reverse(records.begin(), records.end());
  for (std::size_t i = 0; i < n; ++i) records[i].position = static_cast<int>(i);
  return {records, dimensions,
          with_case_number(std::to_string(n) + " " + kMixNames[static_cast<int>(mix)] + " of " +
                               std::to_string(dimensions) + " dimensions",
                           seed) +
              ", shown as order/level/value",
          seed};
}

/// Live records in order, but for the last: it belongs three places before. So the third phase or the fourth
/// moves it, after the host has asked whether to go on. Two each have one level; levels are from the whole
/// range of an int, by the seed.
Population make_moved_at_end(std::size_t n) {
  std::mt19937_64 random(judge().options().seed);
  const std::int64_t levels = static_cast<std::int64_t>(n / 2) + 1, widest = (std::int64_t{1} << 32) / levels;
  const std::int64_t step = widest - static_cast<std::int64_t>(datasets::below(random, widest / 2));
  std::vector<Record> records;
  for (std::size_t i = 0; i < n; ++i) {
    const auto pairs_after = static_cast<std::int64_t>((n - 1 - i) / 2);
    const auto level = static_cast<int>(INT_MIN + pairs_after * step);
    records.push_back({1, level, -static_cast<float>(i), static_cast<int>(i)});
  }
  std::rotate(records.end() - 4, records.end() - 3, records.end());
  for (std::size_t i = n - 4; i < n; ++i) records[i].position = static_cast<int>(i);
  return {records, 2, std::to_string(n) + " records in order, but the last belongs three places before"};
}

/// The coordinate of dimension d of the record from index `position`: a float of random bits, so
/// that it can be moved, but not computed. A few are NaN. Multiplying by an odd number and shifting
/// keep numbers different.
float coordinate(std::uint64_t seed, int position, int d) {
  std::uint32_t bits = static_cast<std::uint32_t>(position) * 16 + static_cast<std::uint32_t>(d);
  bits = (bits + static_cast<std::uint32_t>(seed)) * 0x9E3779B1u;
  bits = (bits ^ bits >> 15) * 0x85EBCA77u;
  return std::bit_cast<float>(bits);
}

std::vector<float> payload_of(const std::vector<Record>& records, const Population& input) {
  std::vector<float> payload;
  for (int d = 0; d < input.dimensions; ++d)
    for (const Record& record : records)
      payload.push_back(coordinate(input.seed, record.position, d));
  return payload;
}

/// The index in the input of the record with this first coordinate; the number of records if none
/// has it.
std::size_t record_with(float first_coordinate, const Population& input) {
  std::size_t i = 0;
  while (i < input.records.size() &&
         warpwise::bits(coordinate(input.seed, static_cast<int>(i), 0)) !=
             warpwise::bits(first_coordinate))
    ++i;
  return i;
}

template <typename Member>
auto column(const std::vector<Record>& records, Member member) {
  std::vector<std::decay_t<decltype(records[0].*member)>> values;
  for (const Record& record : records) values.push_back(record.*member);
  return values;
}

/// Every record's point must have moved with it, and equal records must not have passed each other.
void require_payload(const Reply& reply, const Population& input,
                     const std::vector<Record>& expected) {
  const std::vector<float> got = reply.buffer<float>("payload");
  const std::vector<float> wanted = payload_of(expected, input);
  const std::size_t n = expected.size();
  for (std::size_t at = 0; at < got.size(); ++at) {
    if (warpwise::bits(got[at]) == warpwise::bits(wanted[at])) continue;
    const std::size_t i = at % n, d = at / n;
    const std::size_t from = record_with(got[i], input);
    const bool whole =
        warpwise::bits(got[at]) ==
        warpwise::bits(coordinate(input.seed, static_cast<int>(from), static_cast<int>(d)));
    const std::string where = reply.description() + " on " + input.label + ": ";
    if (whole && from < n && bits(input.records[from]) == bits(expected[i]))
      fail(Verdict::wrong_answer, where + "equal records changed places; first wrong at index " +
                                      std::to_string(i) + ": it has the one from index " +
                                      std::to_string(from) + ", expected the one from index " +
                                      std::to_string(expected[i].position));
    fail(Verdict::wrong_answer,
         where + "the payload did not move with its record: coordinate " + std::to_string(d) +
             " at index " + std::to_string(i) + " is " + show(got[at]) + ", expected " +
             show(wanted[at]));
  }
}

template <typename Entry>
PreparedCall prepare_records(Entry entry, const Population& input) {
  return prepare(entry, InOut("order", column(input.records, &Record::order)),
                 InOut("level", column(input.records, &Record::level)),
                 InOut("value", column(input.records, &Record::value)),
                 InOut("payload", payload_of(input.records, input)), input.dimensions,
                 Out<int>("live", 1), input.records.size());
}

void require_records(const Reply& reply, const Population& input) {
  const std::size_t n = input.records.size();
  std::vector<Record> expected = input.records;
  std::stable_sort(expected.begin(), expected.end(), oracle::before);
  const auto order = reply.buffer<int>("order"), level = reply.buffer<int>("level");
  const auto value = reply.buffer<float>("value");
  std::vector<Record> got;
  for (std::size_t i = 0; i < n; ++i) got.push_back({order[i], level[i], value[i], 0});
  require_sequence(reply, input.label, got, expected,
                   [](const Record& a, const Record& b) { return !oracle::before(b, a); });
  require_payload(reply, input, expected);
  const auto live = std::count_if(expected.begin(), expected.end(),
                                  [](const Record& record) { return record.order != 0; });
  const int counted = reply.buffer<int>("live")[0];
  if (counted != live)
    fail(Verdict::wrong_answer, reply.description() + " on " + input.label + ": counted " +
                                    std::to_string(counted) + " live records, there are " +
                                    std::to_string(live) +
                                    (counted + 1 == live ? "; before the call *live was -1" : ""));
  std::vector<Record> work = input.records;
  const int needed = oracle::serial_phases(work, oracle::before);
  require_launches(reply, needed, "one for each phase, and " + std::to_string(needed) +
                                      " phases change something");
  require_few_bytes_to_host(reply, needed + 3);
  allow_phases(reply, n);
  require_light_launches(reply, accesses_of_a_phase(n, 48 + 8 * input.dimensions),
                         "one phase in each");
  require_hands(reply, n);
}

template <typename Entry>
Reply check_records(Entry entry, const Population& input) {
  Reply reply = judge().call(prepare_records(entry, input));
  require_records(reply, input);
  return reply;
}

/// Each coordinate is the one that was there, or the one that belongs there: what moves the points at the
/// end of a call may not have come to it.
void require_moved_or_not(const Reply& reply, const Population& input,
                          const std::vector<Record>& expected) {
  const std::vector<float> got = reply.buffer<float>("payload");
  const std::vector<float> given = payload_of(input.records, input);
  const std::vector<float> wanted = payload_of(expected, input);
  for (std::size_t at = 0; at < got.size(); ++at)
    if (bits(got[at]) != bits(wanted[at]) && bits(got[at]) != bits(given[at]))
      fail(Verdict::wrong_answer, reply.description() + " on " + input.label +
                                      ": the payload did not move with its record: coordinate " +
                                      std::to_string(at / expected.size()) + " at index " +
                                      std::to_string(at % expected.size()) + " is " + show(got[at]) +
                                      ", expected " + show(wanted[at]));
}

/// More records than 16 bits count. The count of live ones may be of a launch that was not made.
template <typename Entry>
void check_many_records(Entry entry) {
  for (const std::size_t n : once_within_reach({kMany})) {
    const Population input = make_moved_at_end(n);
    std::vector<Record> expected = input.records;
    std::rotate(expected.end() - 4, expected.end() - 1, expected.end());
    const std::vector<float> sorted = column(expected, &Record::value);
    const auto whole = [&](std::size_t size) {
      return prepare_records(entry, make_moved_at_end(size));
    };
    const auto part = [&](std::size_t size) { return with_few_launches(whole(size)); };
    const std::optional<Reply> reply = judge().call_in_part(part(n), judge().options().seconds);
    if (!reply) return require_an_end(part, whole, n);
    require_sorted_at_once(*reply, input.label, reply->buffer<float>("value"), sorted,
                           [](float a, float b) { return a >= b; });
    require_moved_or_not(*reply, input, expected);
    const int counted = reply->buffer<int>("live")[0];
    if (counted > 0 && counted != static_cast<int>(n))
      fail(Verdict::wrong_answer, reply->description() + " on " + input.label + ": counted " +
                                      std::to_string(counted) + " live records, there are " +
                                      std::to_string(n));
  }
}

/// The last pair changes places. It may need a block of its own.
template <typename Entry>
void check_last_pair(Entry entry) {
  for (const std::size_t n : one_pair_more()) {
    std::vector<Record> records;
    for (std::size_t i = 0; i < n; ++i)
      records.push_back({1, 5, -static_cast<float>(i), static_cast<int>(i)});
    std::swap(records[n - 1].value, records[n - 2].value);
    check_records(entry, {records, 1, std::to_string(n) + " records, of which the last two are swapped"});
  }
}

/// More live records than 18 bits count.
template <typename Entry>
void check_groups_of_records(Entry entry) {
  for ([[maybe_unused]] const std::size_t n : once_within_reach({1 << 18})) {
    const std::vector<int> ranks = groups_of_four();
    const int half = static_cast<int>(ranks.size() / 2);
    std::vector<Record> records;
    for (const int rank : ranks)
      records.push_back({1, half - rank, 0, static_cast<int>(records.size())});
    const Population input{records, 16, std::to_string(ranks.size()) + " records" + kGroupsOfFour};
    // What makes all phases takes too long, and says nothing.
    if (const auto reply = judge().call_in_part(prepare_records(entry, input)))
      require_records(*reply, input);
  }
}

/// Records of which one moves, at each place, and through all others: see for_each_way().
template <typename Entry>
void check_records_on_the_way(Entry entry) {
  const auto check = [&](const std::vector<int>& ranks, const std::string& label) {
    std::vector<Record> records;
    for (const int rank : ranks)
      records.push_back({1, 5, -static_cast<float>(rank), static_cast<int>(records.size())});
    check_records(entry, {records, 1, "records in order, but " + label});
  };
  for_each_way(70, 0, 70, check);
  for_each_long_way(check);
}

template <typename Body>
void for_each_population(std::size_t largest, const Body& body) {
  for_each_size_and_kind(kMixes, largest, [&](std::size_t n, Mix mix, std::uint64_t seed) {
    body(make_population(mix, n, 1 + static_cast<int>(seed % 3), seed));
  });
}

void check_texture(const Population& input) {
  const Reply reply = check_records(ENTRY(odd_even::texture), input);
  const std::size_t n = input.records.size();
  // Counted on the CPU backend only. Each record is compared at least once.
  if (n >= 2 && reply.statistics().launches > 0 && reply.statistics().texture_fetches < n)
    fail(Verdict::rejected,
         reply.description() + " sorts, but not through a texture: " +
             std::to_string(reply.statistics().texture_fetches) + " texture fetches for " +
             std::to_string(n) + " records; read order, level and value by tex1Dfetch");
}

/// Live records of one level, in reverse: n phases, and each comparison needs order, level and
/// value of both records. That is six numbers, in as many fetches or in fewer; two of the three
/// arrays are four. Between them there is room for some more phases.
void check_all_through_textures(std::size_t n) {
  std::vector<Record> records;
  for (std::size_t i = 0; i < n; ++i)
    records.push_back({1, 5, static_cast<float>(i), static_cast<int>(i)});
  const Population input{records, 1, std::to_string(n) + " live records of one level, in reverse"};
  const Reply reply = check_records(ENTRY(odd_even::texture), input);
  const std::uint64_t compared = n * (n - 1) / 2;
  const std::uint64_t fetched = reply.statistics().texture_bytes / sizeof(int);
  if (reply.statistics().launches > 0 && 4 * fetched < 17 * compared)
    fail(Verdict::rejected, reply.description() + " on " + input.label +
                                ": does not read order, level and value through a texture: " +
                                std::to_string(fetched) + " numbers fetched for " +
                                std::to_string(compared) + " comparisons, which read six numbers");
}

/// Live records of one level in order, but for the last, which belongs in front: many phases compare,
/// and each changes at most one pair. So nearly all that is read is read to be compared. What sorts
/// places reads two of them for each comparison; what compares records in memory reads six numbers.
/// Counted under the checker only, without textures.
void check_nothing_beside_textures(std::size_t n) {
  std::vector<Record> records;
  for (std::size_t i = 0; i < n; ++i)
    records.push_back({1, 5, -static_cast<float>((i + 1) % n), static_cast<int>(i)});
  const Population input{records, 1, std::to_string(n) + " records, of which the last is the first"};
  const Reply reply = check_records(ENTRY(odd_even::texture), input);
  const LaunchStatistics& counted = reply.statistics();
  const std::uint64_t read =
      counted.accesses - counted.own_stacks - counted.writes - counted.texture_fetches;
  if (counted.accesses > 0 && 2 * read > 3 * n * n)  // each phase compares n / 2 pairs
    fail(Verdict::rejected, reply.description() + " on " + input.label + ": made " +
                                std::to_string(read) +
                                " reads of memory beside those through a texture; compare what "
                                "tex1Dfetch returns");
}

}  // namespace

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

// ---- stages 5 and 6 -----------------------------------------------------------------------------

namespace {

/// Checks a sort by value alone: 0 and -0 in any order, but as many of each as before.
void require_by_value(const Reply& reply, const Keys& keys) {
  require_sequence(reply, keys.label, oracle::zeros_settled(reply.buffer<float>("keys")),
                   oracle::zeros_settled(oracle::sorted(keys.values)), not_descending);
  if (keys.values.empty()) require_no_launch(reply);
}

Reply check_tiled(const Keys& keys) {
  const Reply reply = call(ENTRY(odd_even::tiled), InOut("keys", keys.values), keys.values.size());
  require_by_value(reply, keys);
  const std::size_t granted = 2 + keys.values.size() / 32;
  if (reply.statistics().launches > granted)  // counted on the CPU backend only
    fail(Verdict::wrong_answer, reply.description() + " on " + keys.label + ": " +
                                    std::to_string(reply.statistics().launches) +
                                    " launches, but at most " + std::to_string(granted) +
                                    " are granted: make many phases in each launch");
  return reply;
}

/// Keys in order but for groups of four in reverse, and for three: those at both ends are swapped with
/// their neighbours, and the smallest of all is in the middle.
Keys keys_with_long_way(std::size_t n) {
  Keys keys = make_labelled(KeyShape::sorted, n, judge().options().seed);
  reverse_groups(keys.values, kGroup / 2);
  std::rotate(keys.values.begin(), keys.values.begin() + 1, keys.values.begin() + n / 2 + 1);
  std::swap(keys.values[0], keys.values[1]);
  std::swap(keys.values[n - 1], keys.values[n - 2]);
  return keys;
}

constexpr std::uint32_t kFirstLaunches = 2;  // so few show where keys are after them

/// Where some launches have moved the smallest key, they have sorted the groups, which takes few phases.
void require_all_but_the_smallest_in_order(const Reply& reply, std::vector<float> keys,
                                           std::vector<float> sorted, std::ptrdiff_t way) {
  if (way <= static_cast<std::ptrdiff_t>(2 * kGroup)) return;
  keys.erase(std::ranges::min_element(keys));
  sorted.erase(sorted.begin());
  const std::size_t wrong = first_difference(keys, sorted);
  if (wrong < sorted.size())
    fail(Verdict::wrong_answer, reply.description() + ": near index " + std::to_string(wrong) +
                                    " keys are not in order, or lost, where groups of four were in "
                                    "reverse: each phase covers all keys");
}

/// The smallest key goes one place in each phase. How far it goes in the third launch and the fourth shows
/// how many phases they make; all launches together make n. Says nothing if the host has asked for a flag,
/// which launches that did not run would set.
void require_all_phases(const PreparedCall& whole, const std::vector<float>& earlier,
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
  require_all_but_the_smallest_in_order(*reply, later, sorted, way);
  if (earlier.size() > static_cast<std::size_t>(place(earlier)) && way > 0 &&
      launches * static_cast<std::uint64_t>(way) < kFirstLaunches * n)
    fail(Verdict::wrong_answer, reply->description() + ": " + std::to_string(launches) +
                                    " launches, of which two move a key by " + std::to_string(way) +
                                    " places; " + std::to_string(n) + " keys take as many phases");
}

/// A call that may take too long. With `few` only its first launches run. Each phase covers all keys:
/// where these launches have put the first pair in order, the last pair is so, too.
void check_tiled_in_part(std::size_t n, bool few) {
  const Keys keys = keys_with_long_way(n);
  std::vector<float> sorted = keys.values;
  std::ranges::sort(sorted);
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
    return require_sequence(*reply, std::to_string(n) + " keys" + kGroupsOfFour + ", and three far away", got,
                            sorted, not_descending);
  require_all_phases(whole, got, sorted);
  if (got[0] == keys.values[1] && got.back() != sorted.back())
    fail(Verdict::wrong_answer, reply->description() + " with its first launches: the first keys are in "
                                "order, the last two are not: each phase covers all keys");
}

void require_merge_split(const Reply& reply, const Keys& keys) {
  require_by_value(reply, keys);
  require_few_launches(reply, keys.values.size());
  require_few_bytes_to_host(reply, 64 + keys.values.size() / 32);  // a run has 32 keys, or more
}
void check_merge_split(const Keys& keys) {
  require_merge_split(call(ENTRY(odd_even::merge_split), InOut("keys", keys.values), keys.values.size()),
                      keys);
}

/// More tiles of 256 keys than 10 bits number, and more keys than 16 bits count.
constexpr std::size_t kManyTiles = 270'001;

/// Shapes for arrays of many tiles. Reversed keys need all phases.
constexpr KeyShape kLongShapes[] = {KeyShape::extremes, KeyShape::shuffled, KeyShape::reversed};

}  // namespace

TEST_CASE("tiled sorts keys of every size and shape", "[tiled]") {
  for_each_input(kOrderedShapes, 1025, check_tiled);
}

TEST_CASE("tiled sorts arrays of many tiles", "[tiled]") {
  for_each_large_size({2049, 4096, 5001}, kLongShapes, [](std::size_t n, KeyShape shape) {
    check_tiled(make_labelled(shape, n, judge().options().seed + n));
  });
  // More than a grid of 64 blocks holds. All phases for many more keys would take some too long.
  for (const std::size_t n : once_within_reach({10007})) {
    const Reply reply = check_tiled(make_labelled(KeyShape::reversed, n, judge().options().seed + n));
    constexpr std::uint64_t kAllAtOnce = 16;  // so few launches are no part of the work
    const bool few = kGpu || reply.statistics().launches > kAllAtOnce;
    check_tiled_in_part(few ? kManyTiles : 20001, few);
  }
  for (const std::size_t n : one_by_seed(1100, 4000))
    check_tiled(make_labelled(KeyShape::shuffled, n, judge().options().seed + n));
  for (const std::size_t n : one_beyond_reach(4000))
    check_tiled(make_labelled(KeyShape::extremes, n, judge().options().seed + n));
}

/// Phases come in launches of so many, and n is seldom a multiple of that. Reversed keys need all n.
TEST_CASE("tiled makes the last phases, too", "[tiled]") {
  for (std::size_t size = 400; size < 600; ++size)
    for (const std::size_t n : once_within_reach({size}))
      check_tiled(make_labelled(KeyShape::reversed, n, judge().options().seed + n));
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

namespace {

/// More rounds than 32 if a run fits 48 KB of shared memory. In reverse, all of them are needed. Who is slow
/// has short runs, and made many rounds of smaller arrays.
void check_more_runs() {
  for (const std::size_t n : once_within_reach({420'001})) {
    const Keys keys = make_labelled(KeyShape::reversed, n, judge().options().seed + n);
    const auto reply = judge().call_in_part(
        prepare(ENTRY(odd_even::merge_split), InOut("keys", keys.values), n));
    if (reply) require_merge_split(*reply, keys);
  }
}

/// Short runs take many rounds, of which each takes long here if warps merge by shuffles. So a call that is
/// too slow is no fault if that had to be expected after a smaller array: at worst, time grows with the
/// square of the size.
void check_merge_splits_while_in_time() {
  using Clock = std::chrono::steady_clock;
  constexpr double kExpected = 4;  // so many times as long is still no surprise
  const double limit = judge().options().seconds;
  double last_seconds = 0;
  std::size_t last = 0;
  for (const std::size_t n : within_reach({4096, 10007, 40000, 65536, 131073}))
    for (const KeyShape shape : kLongShapes) {
      const Keys keys = make_labelled(shape, n, judge().options().seed + n);
      const PreparedCall whole = prepare(ENTRY(odd_even::merge_split), InOut("keys", keys.values), n);
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

}  // namespace

TEST_CASE("merge_split sorts arrays of many runs", "[merge-split]") {
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
