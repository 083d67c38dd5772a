// What the tool prints: one fact per line, its name, a tab, and its value as JSON.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdio>
#include <string>
#include <string_view>

namespace datasets {

inline void fact(std::string_view name, std::string_view json) {
  std::printf("%.*s\t%.*s\n", static_cast<int>(name.size()), name.data(),
              static_cast<int>(json.size()), json.data());
}
/// Not for types that only convert to bool, as pointers do.
template <std::same_as<bool> Bool>
void fact(std::string_view name, Bool value) {
  fact(name, std::string_view(value ? "true" : "false"));
}
/// JSON has no infinity and no NaN, so these become null.
template <typename Number>
requires(std::integral<Number> && !std::same_as<Number, bool>) ||
    std::floating_point<Number> void fact(std::string_view name, Number value) {
  char text[32];
  if (!std::isfinite(static_cast<double>(value))) return fact(name, std::string_view("null"));
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  fact(name, std::string_view(text, static_cast<std::size_t>(end - text)));
}

/// Prints a sentence to stderr, apart from the facts; nothing if it is empty.
inline void note(const std::string& sentence) {
  if (!sentence.empty()) std::fprintf(stderr, "%s\n", sentence.c_str());
}

}  // namespace datasets
