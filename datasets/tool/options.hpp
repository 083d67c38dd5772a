// The command line of warpwise-data: a command, its words, then options, each with a value.
#pragma once

#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "errors.hpp"

namespace datasets {

/// Values by name: `--scale 20`, or `--force` alone. An option that the command does not read is an
/// error.
class Options {
 public:
  Options(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (!word.starts_with("--")) {
        words_.push_back(word);
      } else if (is_flag(word)) {
        values_[word] = "";
      } else {
        if (i + 1 == argc) throw InputError(word + " needs a value.");
        values_[word] = argv[++i];
      }
    }
  }

  const std::vector<std::string>& words() const { return words_; }
  bool flag(const std::string& name) { return take(name).has_value(); }
  std::optional<std::string> text(const std::string& name) { return take(name); }
  std::string required(const std::string& name) {
    const auto value = take(name);
    if (!value) throw InputError(name + " is missing.");
    return *value;
  }

  /// A number from `least` to `most`, or `fallback` if the option is not given.
  template <typename Number>
  Number number(const std::string& name, Number fallback, Number least, Number most) {
    const auto value = take(name);
    if (!value) return fallback;
    Number result{};
    const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), result);
    const bool whole = error == std::errc{} && end == value->data() + value->size();
    if (!whole || !(result >= least && result <= most))
      throw InputError(name + " " + *value + " is not a number from " + shown(least) + " to " +
                       shown(most) + ".");
    return result;
  }

  /// Refuses options that no call above has read.
  void finish() const {
    if (!values_.empty())
      throw InputError(values_.begin()->first + " is not an option of this command or kind.");
  }

 private:
  static bool is_flag(const std::string& name) {
    return name == "--force" || name == "--directed" || name == "--undirected" ||
           name == "--scrambled" || name == "--simple";
  }
  template <typename Number>
  static std::string shown(Number value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
  }
  std::optional<std::string> take(const std::string& name) {
    const auto found = values_.find(name);
    if (found == values_.end()) return std::nullopt;
    std::string value = found->second;
    values_.erase(found);
    return value;
  }

  std::vector<std::string> words_;
  std::map<std::string, std::string> values_;
};

}  // namespace datasets
