// The helpers of a lab's tests, for elements of any type: what they accept, what they reject, and
// in which words. No worker runs here; replies are made by hand. Catch2's main would bring the
// judge's own main with it, from the same library, so this program has neither.
#include <bit>
#include <functional>
#include <optional>
#include <set>

#include "check.hpp"
#include "inputs.hpp"
#include "launch_check.hpp"
#include "sequence_check.hpp"
#include "timed_keys.hpp"

namespace warpwise {

namespace {
Extent tried{.largest = 100};
}

/// In the place of the judge of judge_main.cpp: it has options, and makes no call.
Judge& judge() {
  static std::optional<Judge> without_worker;
  return without_worker.emplace(WorkerOptions{}, tried);
}

namespace {

template <typename T>
Reply reply_with(const std::vector<T>& out) {
  const auto bytes = std::as_bytes(std::span(out));
  const Argument argument{Argument::Access::out, "out", sizeof(T), {bytes.begin(), bytes.end()}};
  return {PreparedCall{"f", "lab::f(out)", {argument}}, 0, {}};
}

/// What require_equal says of `got`; "" if it accepts it.
template <typename T, typename... Place>
std::string said(const std::vector<T>& got, const std::vector<T>& expected, Place... place) {
  const Reply reply = reply_with(got);
  try {
    require_equal(reply, "an input", reply.buffer<T>("out"), expected, place...);
  } catch (const StageFailure& failure) {
    return failure.verdict() == Verdict::wrong_answer ? failure.what() : "another verdict";
  }
  return "";
}

template <typename T>
void check_values(T low, T high) {
  const Input<T> input = make_values<T>(1000, 5, low, high);
  const std::set<T> seen(input.values.begin(), input.values.end());
  CHECK(*seen.begin() == low);
  CHECK(*seen.rbegin() == high);
  CHECK(input.values == make_values<T>(1000, 5, low, high).values);
  CHECK(input.values != make_values<T>(1000, 6, low, high).values);
  CHECK(input.label == "1000 random values (seed 5)");
  CHECK(said(input.values, input.values).empty());
  std::vector<T> wrong = input.values;
  wrong[999] = static_cast<T>(wrong[999] + 1);
  CHECK(said(wrong, input.values).find("first wrong at index 999: got ") != std::string::npos);
}

/// Values of every type lie between their bounds and are compared.
void every_type() {
  check_values<int>(-3, 4);
  check_values<float>(-3, 4);
  check_values<double>(0, 9);
  check_values<unsigned char>(0, 255);
  check_values<long long>(-20, -10);
  CHECK(make_values<int>(0, 1, 0, 9).values.empty());
}

/// An element that nobody wrote is called so, and -1 where it is right is not.
void unwritten() {
  const std::string words = said<int>({7, -1, 8}, {7, 5, 8});
  CHECK(words.find("lab::f(out) on an input: nothing was written to index 1;") == 0);
  CHECK(said<int>({-1}, {-1}).empty());
  CHECK(said<int>({3, -1}, {4, -1}).find("nothing was written") == std::string::npos);
}

/// A string is shown with every byte that it begins with, and on a line that a terminal has room
/// for.
void strings() {
  CHECK(show(std::string("a\0\xe9", 3)) == "\"a\\x00\\xe9\"");
  CHECK(show(std::string(16, 'a')) == '"' + std::string(16, 'a') + '"');
  CHECK(show(std::string(17, 'a')) == '"' + std::string(16, 'a') + "...\"");
  const std::string like = std::string(40, 'a'), other = std::string(20, 'a') + "b";
  CHECK(place_of_difference(like, other) == "; the two differ from byte 20 on");
  CHECK(place_of_difference(like, std::string("b")).empty() && place_of_difference(1, 2).empty());

  const auto drawing = neighbourhood<std::string>(std::vector(9, like), std::vector(9, other), 4);
  const std::size_t line = drawing.find('\n', 1);
  CHECK(line <= kDrawingWidth && drawing.substr(0, line).find(" 4") != std::string::npos);
  const auto narrow =
      neighbourhood<int>({1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 3, 4, 6, 5, 7, 8, 9}, 4);
  CHECK(narrow.find("\n  index     1  2  3  4  5  6  7\n") == 0);
}

/// What is there too often and what is there too seldom is told; a bit in the last value counts.
void sets() {
  CHECK(said<int>({1, 1, 3}, {1, 2, 3}).empty() == false);
  CHECK(multiset_difference<int>({1, 1, 3}, {1, 2, 3}).find(
            "1 occurs once in the input and 2 times in the output") != std::string::npos);
  CHECK(multiset_difference<int>({3, 2, 1}, {1, 2, 3}).empty());
  CHECK(!is_poison(std::string()) && is_poison(std::string("\xFF")));
  CHECK(first_difference<double>({1, 2, 3}, {1, 2, 4}) == 2);
}

/// An output that nobody wrote holds the poison. In a buffer that held its input, the call wrote
/// it.
void unwritten_or_not() {
  const float poison = std::bit_cast<float>(0xFFFFFFFFu);
  const auto says = [&](Argument::Access access, std::vector<float> expected, const char* words) {
    const Argument buffer{access, "keys", sizeof(float), {}};
    try {
      require_sequence(Reply(PreparedCall{"f", "lab::f()", {buffer}}, 0, {}), "two keys",
                       std::vector<float>{poison, 1}, expected, std::less_equal<>());
    } catch (const StageFailure& failure) {
      return std::string(failure.what()).find(words) != std::string::npos;
    }
    return false;
  };
  const char *const nobody = "nothing was written to index 0", *const call =
                                                                   "so the call wrote nan(0xf";
  CHECK(says(Argument::Access::out, {1, 2}, nobody) && !says(Argument::Access::out, {1, 2}, call));
  CHECK(says(Argument::Access::in_out, {1, 2}, call) &&
        !says(Argument::Access::in_out, {1, 2}, nobody));
  CHECK(!says(Argument::Access::in_out, {1, poison}, call));
}

/// As many threads and launches as the contract asks for are enough, one less is not.
void launches() {
  const auto accepts = [](std::uint64_t threads, std::uint64_t launches, auto require) {
    LaunchStatistics statistics;
    statistics.threads = threads;
    statistics.launches = launches;
    try {
      require(Reply(PreparedCall{"f", "lab::f()", {}}, 0, statistics));
    } catch (const StageFailure&) {
      return false;
    }
    return true;
  };
  const auto threads = [](const Reply& reply) { require_threads(reply, 100, "100"); };
  const auto some = [](const Reply& reply) { require_launches(reply, 7, "seven"); };
  CHECK(accepts(100, 1, threads) && !accepts(99, 1, threads));
  CHECK(accepts(1, 7, some) && !accepts(1, 6, some));
  CHECK(accepts(0, 0, require_no_launch) && !accepts(1, 1, require_no_launch));
}

/// One thread that moves elements is rejected where it makes more accesses than its part can need.
void alone() {
  const auto is_rejected = [](std::uint64_t moving, std::size_t elements) {
    LaunchStatistics statistics;
    statistics.moving_share = moving;
    const Reply reply(PreparedCall{"f", "lab::f()", {}}, 0, statistics);
    return !sorts_alone(reply, elements, 5).empty();
  };
  CHECK(is_rejected(20'001, 1000) && !is_rejected(20'000, 1000) && !is_rejected(50'000, 999));
}

/// So is one that writes most places, after more accesses for each than to clear them takes.
void alone_in_phases() {
  const auto is_rejected = [](std::uint64_t widest, std::size_t elements) {
    LaunchStatistics statistics;
    statistics.widest_share = widest;
    const Reply reply(PreparedCall{"f", "lab::f()", {}}, 0, statistics);
    return !works_alone(reply, elements, 8).empty();
  };
  CHECK(is_rejected(8001, 1000) && !is_rejected(8000, 1000) && !is_rejected(50'000, 999));
}

/// Threads that work for show do not help: whatever they do, few accesses of each launch are made
/// one after another.
void chains() {
  const auto accepts = [](std::uint64_t chain, std::uint64_t elements) {
    LaunchStatistics statistics;
    statistics.accesses = 100'000;
    statistics.shared_work = 16 * statistics.accesses;
    statistics.working_launches = 10;
    statistics.longest_chain = chain;
    try {
      require_hands(Reply(PreparedCall{"f", "lab::f()", {}}, 0, statistics), elements, 16'000);
    } catch (const StageFailure&) {
      return false;
    }
    return true;
  };
  CHECK(accepts(10'000, 512) && !accepts(10'010, 512) && accepts(90'000, 511));
}

/// Keys that fall have equal ones side by side, and zeros of either sign among more than half.
void falling_keys() {
  const std::vector<float> keys = make_falling(100, 3).values;
  CHECK(keys.size() == 100 && std::ranges::is_sorted(keys, std::greater<>()));
  const auto zeros = std::ranges::count(keys, 0.0f);
  const auto negative = [](float key) { return key == 0 && std::signbit(key); };
  const auto below_zero = std::ranges::count_if(keys, negative);
  CHECK(zeros == 64 && below_zero > 0 && below_zero < zeros);
  CHECK(std::ranges::adjacent_find(keys, [](float a, float b) { return a == b && a > 0; }) !=
        keys.end());
}

/// Of nine blocks three ran, for 900 elements or 850; the last has what remains.
void shares() {
  const auto too_few = [](std::uint64_t blocks, std::size_t written, std::size_t n) {
    LaunchStatistics statistics;
    statistics.launches = 1;
    statistics.blocks = blocks;
    return is_less_than_their_share(Reply(PreparedCall{"f", "lab::f()", {}}, 0, statistics),
                                    written, n);
  };
  CHECK(!too_few(9, 300, 900) && !too_few(9, 290, 900) && too_few(9, 200, 900));
  CHECK(!too_few(9, 900, 900) && !too_few(3, 0, 900) && !too_few(0, 0, 900));
  CHECK(!too_few(9, 280, 850) && too_few(9, 190, 850));
}

/// A place can have a name of its own.
void places() {
  const auto cell = [](std::size_t i) {
    return "row " + std::to_string(i / 2) + ", column " + std::to_string(i % 2);
  };
  CHECK(said<float>({1, 2, 3, 5}, {1, 2, 3, 4}, cell).find("first wrong at row 1, column 1") !=
        std::string::npos);
  CHECK(said<float>({1, 2, 3, 4}, {1, 2, 3, 4}, cell).empty());
}

/// 0 and -0 differ, a NaN equals itself.
void bits_decide() {
  CHECK(!said<float>({0.0f}, {-0.0f}).empty());
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(said<float>({nan}, {nan}).empty());
}

/// A test that compares unequal lengths is at fault itself.
void unequal_lengths() {
  bool refused = false;
  try {
    said<int>({1}, {1, 2});
  } catch (const std::logic_error&) {
    refused = true;
  }
  CHECK(refused);
}

/// Every boundary size within reach is tried, and one between two that are far apart, each with
/// another seed.
void every_size() {
  std::vector<std::size_t> sizes;
  for_each_size(0, 9, 64, [&](const Input<int>& input) { sizes.push_back(input.values.size()); });
  CHECK(sizes.size() == 13 && std::ranges::is_sorted(sizes));
  CHECK(sizes[6] > 5 && sizes[6] < 31 && sizes[10] > 33 && sizes[10] < 63);
  sizes.erase(sizes.begin() + 10);
  sizes.erase(sizes.begin() + 6);
  CHECK(sizes == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 31, 32, 33, 63, 64});
  std::set<std::uint64_t> seeds;
  for_each_size_and_kind(std::array{'a', 'b'}, 5000,
                         [&](std::size_t, char, std::uint64_t seed) { seeds.insert(seed); });
  const std::size_t between = size_after(11) <= 100 ? 3 : 2;  // after 65
  CHECK(seeds.size() == 2 * 12 + between);  // this judge takes no more than 100 elements
}

/// So many of all sizes: the largest, and from there on down. All kinds of input take turns.
void so_many_sizes() {
  tried = {.largest = 1000, .every_kind = 0, .at_most = 5};
  std::vector<std::size_t> sizes;
  std::set<char> kinds;
  for_each_size_and_kind(std::array{'a', 'b', 'c', 'd', 'e'}, 5000,
                         [&](std::size_t n, char kind, std::uint64_t) {
                           sizes.push_back(n);
                           kinds.insert(kind);
                         });
  CHECK(sizes.size() == 6 && sizes[3] > 65 && sizes[3] < 127);
  sizes.erase(sizes.begin() + 3);
  CHECK(sizes == std::vector<std::size_t>{1, 31, 65, 256, 961});
  CHECK(kinds.size() == 5);
  CHECK(within_reach({7, 8, 9, 10, 11, 12, 5000}) == std::vector<std::size_t>({8, 10, 12}));
  CHECK(within_reach({200}).size() == 1);
  std::vector<std::size_t> large;
  for_each_large_size({70, 80, 90, 2000}, std::array{'a'},
                      [&](std::size_t n, char) { large.push_back(n); });
  CHECK(large == std::vector<std::size_t>{70, 80, 90});
  tried = {.largest = 100};
}

/// What for_each_size reports of a body that fails.
template <typename Body>
std::string reported(const Body& body) {
  try {
    for_each_size(0, 9, 64, body);
  } catch (const StageFailure& failure) {
    return failure.what();
  }
  return "";
}

/// While nothing was written larger sizes are tried, and the first failure is reported.
void goes_on_while_nothing_was_written() {
  std::size_t calls = 0;
  const auto fails = [&](const Input<int>& input) {
    ++calls;
    fail(Verdict::wrong_answer, std::to_string(input.values.size()) + " elements");
  };
  CHECK(reported(fails) == "0 elements");
  CHECK(calls == 13);
  const auto crashes = [&](const Input<int>&) { fail(Verdict::crashed, "at once"); };
  CHECK(reported(crashes) == "at once");
}

/// Timed keys: different ones, in ascending order beside, and other ones from another seed.
template <typename Key>
void timed_keys() {
  for (const std::size_t n : {0, 1, 2, 1000, 1 << 17}) {
    const auto made = make_timed_keys<Key>(n, 3), other = make_timed_keys<Key>(n, 4);
    const std::vector<Key>& ascending = made->ascending;
    CHECK(ascending.size() == n);
    CHECK(std::ranges::adjacent_find(ascending, std::greater_equal<>()) == ascending.end());
    std::vector<Key> sorted = made->keys.values;
    std::ranges::sort(sorted);
    CHECK(sorted == ascending);
    CHECK(make_timed_keys<Key>(n, 3)->keys.values == made->keys.values);
    CHECK(n < 1000 || made->keys.values != ascending);
    std::vector<Key> both;
    std::ranges::set_intersection(ascending, other->ascending, std::back_inserter(both));
    CHECK(both.size() <= n / 100);
  }
}

/// The limits themselves are reached, and not passed.
void numbers_stay_within_their_limit() {
  QuickRandom random(5);
  for (int i = 0; i < 1000; ++i) {
    const auto numbers = unforeseen_numbers(3, 4, random);
    CHECK(numbers.front() >= -4 && numbers.back() <= 4);
  }
  CHECK(float_number(0) == 0 && float_number(-1) < 0 && float_number(1) > 0);
  CHECK(float_number(0x7F7FFFFF) == std::numeric_limits<float>::max());
}

}  // namespace
}  // namespace warpwise

int main() {
  using namespace warpwise;
  every_type();
  unwritten();
  strings();
  sets();
  unwritten_or_not();
  launches();
  alone();
  alone_in_phases();
  chains();
  falling_keys();
  shares();
  places();
  bits_decide();
  unequal_lengths();
  every_size();
  so_many_sizes();
  goes_on_while_nothing_was_written();
  timed_keys<float>();
  timed_keys<int>();
  numbers_stay_within_their_limit();
  check_parts();
  return failed == 0 ? 0 : 1;
}
