// Compares an output with what it should be, bit for bit, and says what is wrong in words that a
// student can act on. require_equal serves any kernel and any type of element. require_sequence
// serves sorts: a value lost or doubled is another mistake than values out of order, and equal keys
// that changed places are a third.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdio>
#include <cstring>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "judge.hpp"

namespace warpwise {

inline constexpr std::size_t kShowNeighboursUpTo = 200;  // beyond this many, positions say little
inline constexpr std::size_t kNeighbours = 3;            // shown on each side of the first mistake
inline constexpr std::size_t kDrawingWidth = 72;         // of 80 columns, indented by 8
inline constexpr std::size_t kShownBytes = 16;           // of a string

/// A number, as precisely as its type is; a NaN with its bits, since no two of them are the same.
template <std::floating_point Real>
std::string show(Real value) {
  char text[64];
  if (!std::isnan(value)) {
    constexpr int kDigits = std::numeric_limits<Real>::max_digits10;
    std::snprintf(text, sizeof text, "%.*g", kDigits, static_cast<double>(value));
  } else {
    std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t> bits;
    std::memcpy(&bits, &value, sizeof bits);
    std::snprintf(text, sizeof text, "nan(0x%llx)", static_cast<unsigned long long>(bits));
  }
  return text;
}
template <std::integral Integer>
std::string show(Integer value) {
  return std::to_string(value);
}
/// A string's first bytes; those that a terminal does not show, zeros for example, as numbers.
inline std::string show(const std::string& value) {
  std::string text = "\"";
  for (const char c : value.substr(0, kShownBytes)) {
    char hex[8];
    std::snprintf(hex, sizeof hex, "\\x%02x", static_cast<unsigned char>(c));
    text += c < ' ' || c > '~' ? hex : std::string(1, c);  // a byte from 0x80 on may be negative
  }
  return text + (value.size() > kShownBytes ? "..." : "") + "\"";
}
/// What tells two strings apart that are shown alike; nothing for other values.
inline std::string place_of_difference(const std::string& a, const std::string& b) {
  if (show(a) != show(b)) return "";
  const auto length = std::min(a.size(), b.size());
  const auto at = std::mismatch(a.begin(), a.begin() + length, b.begin()).first - a.begin();
  return "; the two differ from byte " + std::to_string(at) + " on";
}
template <typename T>
std::string place_of_difference(const T&, const T&) {
  return "";
}

template <typename Key, typename Value>
std::string show(const std::pair<Key, Value>& pair) {
  return show(pair.first) + ":" + show(pair.second);
}

/// The bits of a value: what makes two values the same here. 0 and -0 differ, a NaN equals itself.
template <typename T>
std::string bits(const T& value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}
inline std::string bits(const std::string& value) { return value; }
template <typename Key, typename Value>
std::string bits(const std::pair<Key, Value>& pair) {
  return bits(pair.first) + bits(pair.second);
}

template <typename T>
bool is_poison(const T& value) {
  const std::string content = bits(value);
  return !content.empty() && content.find_first_not_of('\xFF') == std::string::npos;
}

/// Whether the call left `value` as it was: an output holds the poison before, what holds an input
/// does not.
template <typename T>
bool is_unwritten(const Reply& reply, const T& value) {
  return is_poison(value) && reply.has_output();
}

/// Says that the call wrote a NaN of the poison's bits, where it looks like an output that nobody
/// wrote.
template <typename T>
std::string who_wrote_poison(const Reply& reply, const std::vector<T>& got,
                             const std::vector<T>& expected) {
  const auto first = std::find_if(got.begin(), got.end(), is_poison<T>);
  if (reply.has_output() || first == got.end() || !show(*first).starts_with("nan")) return "";
  if (std::any_of(expected.begin(), expected.end(), is_poison<T>)) return "";
  return "; the buffer held its input before, so the call wrote " + show(*first);
}

inline std::string times(std::size_t count) {
  return count == 0 ? "not at all" : count == 1 ? "once" : std::to_string(count) + " times";
}

/// The first value that `got` holds more or less often than `expected`, in words; "" if none.
template <typename T>
std::string multiset_difference(const std::vector<T>& got, const std::vector<T>& expected) {
  std::unordered_map<std::string, long> surplus;
  for (const T& value : expected) --surplus[bits(value)];
  for (const T& value : got) ++surplus[bits(value)];
  for (const T& value : expected) {
    const long more = surplus[bits(value)];
    if (more == 0) continue;
    long in_expected = 0;
    for (const T& other : expected) in_expected += bits(other) == bits(value);
    return "wrong set of values: " + show(value) + " occurs " + times(in_expected) +
           " in the input and " + times(in_expected + more) + " in the output";
  }
  return "";
}

/// The elements from `first` up to `last` in three lines, in columns of the same place.
template <typename T>
std::string drawn(const std::vector<T>& got, const std::vector<T>& expected, std::size_t first,
                  std::size_t last) {
  std::string index = "\n  index   ", got_line = "\n  got     ", expected_line = "\n  expected";
  for (std::size_t i = first; i < last; ++i) {
    const std::string cells[] = {std::to_string(i), show(got[i]), show(expected[i])};
    const std::size_t width = std::max({cells[0].size(), cells[1].size(), cells[2].size()}) + 2;
    index += std::string(width - cells[0].size(), ' ') + cells[0];
    got_line += std::string(width - cells[1].size(), ' ') + cells[1];
    expected_line += std::string(width - cells[2].size(), ' ') + cells[2];
  }
  return index + got_line + expected_line;
}

/// The first mistake with its neighbours: as many as a line of a terminal has room for.
template <typename T>
std::string neighbourhood(const std::vector<T>& got, const std::vector<T>& expected,
                          std::size_t at) {
  std::size_t first = at < kNeighbours ? 0 : at - kNeighbours;
  std::size_t last = std::min(expected.size(), at + kNeighbours + 1);
  std::string drawing = drawn(got, expected, first, last);
  while (drawing.find('\n', 1) > kDrawingWidth && last - first > 1) {
    if (last - 1 - at > at - first)
      --last;
    else
      ++first;
    drawing = drawn(got, expected, first, last);
  }
  return drawing;
}

/// The first index at which the two differ, bit for bit; expected.size() if they do not.
template <typename T>
std::size_t first_difference(const std::vector<T>& got, const std::vector<T>& expected) {
  if (got.size() != expected.size())
    throw std::logic_error("the test compares " + std::to_string(got.size()) +
                           " values of an output with " + std::to_string(expected.size()));
  if constexpr (std::is_arithmetic_v<T>)  // the common case, a thousand times faster
    if (expected.empty() || !std::memcmp(got.data(), expected.data(), expected.size() * sizeof(T)))
      return expected.size();
  std::size_t at = 0;
  while (at < expected.size() && bits(got[at]) == bits(expected[at])) ++at;
  return at;
}

/// For what is no sort: ends the test case with `wrong answer` unless got == expected, bit for bit.
/// `place(i)` names element i where its index alone says little: "row 3, column 4".
template <typename T, typename Place>
void require_equal(const Reply& reply, const std::string& input, const std::vector<T>& got,
                   const std::vector<T>& expected, Place place) {
  const std::size_t at = first_difference(got, expected);
  if (at == expected.size()) return;
  std::string message = reply.description() + " on " + input + ": ";
  if (is_unwritten(reply, got[at]) && !is_poison(expected[at]))
    message += "nothing was written to " + place(at) + "; ";
  message += "first wrong at " + place(at) + ": got " + show(got[at]) + ", expected " +
             show(expected[at]) + who_wrote_poison(reply, got, expected);
  if (expected.size() <= kShowNeighboursUpTo) message += neighbourhood(got, expected, at);
  fail(Verdict::wrong_answer, message);
}
template <typename T>
void require_equal(const Reply& reply, const std::string& input, const std::vector<T>& got,
                   const std::vector<T>& expected) {
  require_equal(reply, input, got, expected,
                [](std::size_t i) { return "index " + std::to_string(i); });
}

/// For a sort: ends the test case with `wrong answer` unless got == expected, bit for bit.
/// `in_order(a, b)`: may b come directly after a?
template <typename T, typename InOrder>
void require_sequence(const Reply& reply, const std::string& input, const std::vector<T>& got,
                      const std::vector<T>& expected, InOrder in_order) {
  const std::size_t at = first_difference(got, expected);
  if (at == expected.size()) return;

  std::string message = reply.description() + " on " + input + ": ";
  const std::string lost = multiset_difference(got, expected);
  std::size_t descent = 1;
  while (descent < got.size() && in_order(got[descent - 1], got[descent])) ++descent;
  if (is_unwritten(reply, got[at]))
    message += "nothing was written to index " + std::to_string(at);
  else if (!lost.empty())
    message += lost;
  else if (descent < got.size())
    message += "not in order: " + show(got[descent - 1]) + " at index " +
               std::to_string(descent - 1) + " comes before " + show(got[descent]);
  else
    message += "equal keys changed places";
  message += "; first wrong at index " + std::to_string(at) + ": got " + show(got[at]) +
             ", expected " + show(expected[at]) + place_of_difference(got[at], expected[at]) +
             who_wrote_poison(reply, got, expected);
  if (expected.size() <= kShowNeighboursUpTo) message += neighbourhood(got, expected, at);
  fail(Verdict::wrong_answer, message);
}

/// Ends the test case with `wrong answer` if elements stand 2^16 places before their own. Where few
/// blocks ran of several launches, places may come from ranks that no block has computed. Chance
/// may bring equal elements there, but not several that stand only once in the input.
template <typename T>
void require_no_places_lost(const Reply& reply, const std::string& input, const std::vector<T>& got,
                            const std::vector<T>& expected) {
  constexpr std::size_t kLost = std::size_t{1} << 16, kNoChance = 8;
  std::size_t found = 0;
  for (std::size_t at = kLost; at < expected.size(); ++at) {
    const auto is = [&, own = bits(expected[at])](const T& other) { return bits(other) == own; };
    const std::size_t i = at - kLost;
    if (!is(got[i]) || is_poison(got[i]) || is(expected[i]) || is(expected[at - 1])) continue;
    if (at + 1 < expected.size() && is(expected[at + 1])) continue;
    if (++found == kNoChance)
      fail(Verdict::wrong_answer, reply.description() + " on " + input + ": index " +
                                      std::to_string(i) + " holds " + show(got[i]) +
                                      ", which belongs at index " + std::to_string(at) +
                                      ": 16 bits are too few for a rank");
  }
}

/// For a rank sort. Where few blocks ran (with_few_blocks), each place that was written must have
/// what belongs there; what needs more than one launch leaves places that cannot be judged. Of a
/// whole call, and on a GPU, which runs all blocks, every place must be right. Returns how many
/// places were written.
template <typename T>
std::size_t require_written(const Reply& reply, const std::string& input, const std::vector<T>& got,
                     const std::vector<T>& expected, bool whole = kGpu) {
  const std::size_t written =
      std::ranges::count_if(got, [](const T& value) { return !is_poison(value); });
  if (!whole && reply.statistics().launches > 1) {
    require_no_places_lost(reply, input, got, expected);
    return written;
  }
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (bits(got[i]) != bits(expected[i]) && (whole || !is_poison(got[i])))
      fail(Verdict::wrong_answer, reply.description() + " on " + input + ": index " +
                                      std::to_string(i) + " holds " + show(got[i]) +
                                      ", which does not belong there; expected " +
                                      show(expected[i]));
  return written;
}

/// Two arrays as one sequence of pairs, so that what belongs together is compared together.
template <typename Key, typename Value>
std::vector<std::pair<Key, Value>> zip(const std::vector<Key>& keys,
                                       const std::vector<Value>& values) {
  std::vector<std::pair<Key, Value>> pairs;
  for (std::size_t i = 0; i < keys.size(); ++i) pairs.emplace_back(keys[i], values[i]);
  return pairs;
}

}  // namespace warpwise
