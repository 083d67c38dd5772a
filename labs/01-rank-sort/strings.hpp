// Strings for lab 01, and what two sorts of them must give.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "ranks.hpp"

namespace rank_sort::tests {

using namespace warpwise;

/// n strings of bytes from a small alphabet that includes 0x00 and 0xE9. They make many ties, many
/// common prefixes, and bytes that are negative as signed char.
inline std::vector<std::string> make_strings(std::size_t n, std::size_t shortest,
                                             std::size_t longest, std::uint64_t seed) {
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

inline std::vector<char> concatenated(const std::vector<std::string>& strings) {
  std::vector<char> text;
  for (const std::string& string : strings) text.insert(text.end(), string.begin(), string.end());
  return text;
}

/// n strings of one length that differ from one another in few bytes, so that the first difference
/// of two strings is anywhere.
inline std::vector<std::string> make_similar_strings(std::size_t n, std::size_t length,
                                                     std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> strings(n, make_strings(1, length, length, seed).front());
  for (std::string& string : strings)
    string[datasets::below(random, length)] = static_cast<char>(datasets::below(random, 256));
  // And two in no byte but the last.
  strings.front() = strings.back();
  strings.front().back() = 'b';
  strings.back().back() = 'a';
  if (n < 3 || length < 2) return strings;
  // In two bytes side by side: the first is less, the second greater.
  strings[1] = strings.front();
  --strings[1][length / 2 - 1];
  ++strings[1][length / 2];
  return strings;
}

// Of two strings the index, where each begins and ends, and a few bytes.
constexpr std::size_t kOfEachString = 12;

/// Makes a call. If there are many strings, it may take too long on a CPU alone, where the lanes of
/// a warp compare the bytes of two: then there is no reply, and fewer are tried.
inline std::optional<Reply> call_in_time(const PreparedCall& call, bool many) {
  return many ? judge().call_in_part(call, judge().options().seconds) : judge().call(call);
}
inline std::vector<std::string> few_of(const std::vector<std::string>& strings) {
  constexpr std::ptrdiff_t kFew = 1201;
  return {strings.begin(), strings.begin() + kFew};
}
constexpr std::size_t kFewStrings = 3000;  // so many, or fewer, are tried whatever they take

inline void check_fixed_strings(const std::vector<std::string>& strings, std::size_t width) {
  const std::size_t n = strings.size();
  const std::vector<char> text = concatenated(strings);
  const auto made = call_in_time(prepare(ENTRY(rank_sort::fixed_strings), In("in", text),
                                         Out<char>("out", text.size()), width, n),
                                 n > kFewStrings);
  if (!made) return check_fixed_strings(few_of(strings), width);
  const Reply& reply = *made;
  const std::vector<char> out = reply.buffer<char>("out");
  std::vector<std::string> got;
  for (std::size_t i = 0; i < n; ++i) got.emplace_back(out.data() + i * width, width);
  require_sequence(reply, std::to_string(n) + " strings of " + std::to_string(width) + " bytes",
                   got, oracle::arrange(strings, oracle::order(strings, oracle::bytewise)),
                   [](const auto& a, const auto& b) { return a <= b; });
  require_few_launches(reply, n * width);
  note_sort_alone(reply, n, kOfEachString + 2 * width);
  if (n == 0) require_no_launch(reply);
}

/// The first string begins after `before` bytes of text that are no string.
inline void check_strings(const std::vector<std::string>& strings, const std::string& label,
                          std::size_t before = 0) {
  std::vector<int> offsets = {static_cast<int>(before)};
  for (const std::string& string : strings)
    offsets.push_back(offsets.back() + static_cast<int>(string.size()));
  std::vector<char> text(before, 'a');
  for (const char byte : concatenated(strings)) text.push_back(byte);
  text.insert(text.end(), before, 'b');
  const auto made = call_in_time(prepare(ENTRY(rank_sort::strings), In("text", text),
                                         In("offsets", offsets), Out<int>("order", strings.size()),
                                         strings.size()),
                                 strings.size() > kFewStrings);
  if (!made) return check_strings(few_of(strings), "the first of " + label, before);
  const Reply& reply = *made;
  const auto in_order = [&](int a, int b) {
    const int n = static_cast<int>(strings.size());
    return a >= 0 && a < n && b >= 0 && b < n && strings[a] <= strings[b];
  };
  require_sequence(reply, label, reply.buffer<int>("order"),
                   oracle::order(strings, oracle::bytewise), in_order);
  require_few_launches(reply, text.size() + strings.size());
  note_sort_alone(reply, strings.size(), kOfEachString);
  if (strings.empty()) require_no_launch(reply);
}

}  // namespace rank_sort::tests
