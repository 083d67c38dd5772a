// Populations of records: how they are made, called with and checked.
#pragma once

#include <bit>
#include <cfloat>
#include <climits>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "odd_even.hpp"
#include "phases.hpp"

namespace odd_even::oracle {

// How a mistake is shown. The position is left out, because equal records differ only in it.
inline std::string show(const Record& record) {
  return std::to_string(record.order) + "/" + std::to_string(record.level) + "/" +
         warpwise::show(record.value);
}
inline std::string bits(const Record& record) {
  return warpwise::bits(record.order) + warpwise::bits(record.level) + warpwise::bits(record.value);
}

}  // namespace odd_even::oracle

namespace odd_even::tests {

using namespace warpwise;
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

inline Population make_population(Mix mix, std::size_t n, int dimensions, std::uint64_t seed) {
  // Two of them differ from 1.5 and -2 in their last bit only.
  constexpr float kValues[] = {0.0f,   -0.0f,   1.5f,     -2.0f,         INFINITY,      -INFINITY,
                               1e-40f, FLT_MAX, -FLT_MAX, 0x1.800002p0f, -0x1.000002p1f};
  std::mt19937_64 random(seed);
  std::vector<Record> records(n);
  for (Record& record : records) {
    const bool dead = mix == Mix::none_live || (mix != Mix::all_live && random() % 3 == 0);
    record.order = dead ? 0 : 1 + static_cast<int>(datasets::below(random, 4));
    record.level = mix == Mix::few ? static_cast<int>(datasets::below(random, 2)) - 1
                                   : static_cast<int>(datasets::below(random, 50)) - 25;
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

/// Live records in order, but for the last: it belongs three places before. So the third phase or
/// the fourth moves it, after the host has asked whether to go on. Two each have one level; levels
/// are from the whole range of an int, by the seed.
inline Population make_moved_at_end(std::size_t n) {
  std::mt19937_64 random(judge().options().seed);
  const std::int64_t levels = static_cast<std::int64_t>(n / 2) + 1,
                     widest = (std::int64_t{1} << 32) / levels;
  const std::int64_t step = widest - static_cast<std::int64_t>(datasets::below(random, widest / 2));
  std::vector<Record> records;
  for (std::size_t i = 0; i < n; ++i) {
    const auto pairs_after = static_cast<std::int64_t>((n - 1 - i) / 2);
    const auto level = static_cast<int>(INT_MIN + pairs_after * step);
    records.push_back({1, level, -static_cast<float>(i), static_cast<int>(i)});
  }
  std::rotate(records.end() - 4, records.end() - 3, records.end());
  for (std::size_t i = n - 4; i < n; ++i) records[i].position = static_cast<int>(i);
  return {records, 2,
          std::to_string(n) + " records in order, but the last belongs three places before"};
}

/// The coordinate of dimension d of the record from index `position`: a float of random bits, so
/// that it can be moved, but not computed. A few are NaN. Multiplying by an odd number and shifting
/// keep numbers different.
inline float coordinate(std::uint64_t seed, int position, int d) {
  std::uint32_t bits = static_cast<std::uint32_t>(position) * 16 + static_cast<std::uint32_t>(d);
  bits = (bits + static_cast<std::uint32_t>(seed)) * 0x9E3779B1u;
  bits = (bits ^ bits >> 15) * 0x85EBCA77u;
  return std::bit_cast<float>(bits);
}

inline std::vector<float> payload_of(const std::vector<Record>& records, const Population& input) {
  std::vector<float> payload;
  for (int d = 0; d < input.dimensions; ++d)
    for (const Record& record : records)
      payload.push_back(coordinate(input.seed, record.position, d));
  return payload;
}

/// The index in the input of the record with this first coordinate; the number of records if none
/// has it.
inline std::size_t record_with(float first_coordinate, const Population& input) {
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
inline void require_payload(const Reply& reply, const Population& input,
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

inline void require_records(const Reply& reply, const Population& input) {
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
  constexpr std::size_t kOthers = 24;  // one for each column, and a few more
  allow_phases(reply, n, kOthers);
  require_light_phases(reply, n, 48 + 8 * input.dimensions);
}

template <typename Entry>
Reply check_records(Entry entry, const Population& input) {
  Reply reply = judge().call(prepare_records(entry, input));
  require_records(reply, input);
  return reply;
}

/// Each coordinate is the one that was there, or the one that belongs there: what moves the points
/// at the end of a call may not have come to it.
inline void require_moved_or_not(const Reply& reply, const Population& input,
                                 const std::vector<Record>& expected) {
  const std::vector<float> got = reply.buffer<float>("payload");
  const std::vector<float> given = payload_of(input.records, input);
  const std::vector<float> wanted = payload_of(expected, input);
  for (std::size_t at = 0; at < got.size(); ++at)
    if (bits(got[at]) != bits(wanted[at]) && bits(got[at]) != bits(given[at]))
      fail(Verdict::wrong_answer, reply.description() + " on " + input.label +
                                      ": the payload did not move with its record: coordinate " +
                                      std::to_string(at / expected.size()) + " at index " +
                                      std::to_string(at % expected.size()) + " is " +
                                      show(got[at]) + ", expected " + show(wanted[at]));
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
    check_records(entry,
                  {records, 1, std::to_string(n) + " records, of which the last two are swapped"});
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
    for (const float value : close_together(ranks))
      records.push_back({1, 5, -value, static_cast<int>(records.size())});
    check_records(entry, {records, 1, "records in order, but " + label});
  };
  for_each_way(70, 0, 70, check);
  for_each_long_way(check);
}

template <typename Body>
void for_each_population(std::size_t largest, const Body& body) {
  for_each_size_and_kind(kMixes, largest, [&](std::size_t n, Mix mix, std::uint64_t seed) {
    body(make_population(mix, n, 1 + static_cast<int>(below_by_seed(3, seed)), seed));
  });
}

/// See every_size_once(): here every number of records.
template <typename Body>
void for_every_population(const Body& body) {
  const std::uint64_t seed = judge().options().seed;
  std::mt19937_64 random(seed);
  for (const std::size_t n : every_size_once(kEverySize / 4)) {
    const Mix mix = std::array{Mix::random, Mix::few, Mix::wide}[datasets::below(random, 3)];
    const int dimensions = 1 + static_cast<int>(datasets::below(random, 3));
    body(make_population(mix, n, dimensions, seed + n));
  }
}

inline void check_texture(const Population& input) {
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
inline void check_all_through_textures(std::size_t n) {
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

/// Live records of one level in order, but for the last, which belongs in front: many phases
/// compare, and each changes at most one pair. So nearly all that is read is read to be compared.
/// What sorts places reads two of them for each comparison; what compares records in memory reads
/// six numbers. Counted under the checker only, without textures.
inline void check_nothing_beside_textures(std::size_t n) {
  std::vector<Record> records;
  for (std::size_t i = 0; i < n; ++i)
    records.push_back({1, 5, -static_cast<float>((i + 1) % n), static_cast<int>(i)});
  const Population input{records, 1,
                         std::to_string(n) + " records, of which the last is the first"};
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

}  // namespace odd_even::tests
