// A command line: words, then options `--name value`, and flags `--name` without a value.
#pragma once

#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace datasets {

/// A command line that makes no sense: one sentence.
struct BadOption : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// Every call takes the option that it reads; finish() refuses those that no call has read.
class Options {
 public:
  Options(int argc, char** argv, const std::set<std::string>& flags = {}) {
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (!word.starts_with("--")) {
        words_.push_back(word);
      } else if (flags.contains(word)) {
        values_[word] = "";
      } else {
        if (i + 1 == argc) throw BadOption(word + " needs a value.");
        values_[word] = argv[++i];
      }
    }
  }

  const std::vector<std::string>& words() const { return words_; }
  bool flag(const std::string& name) { return text(name).has_value(); }

  std::optional<std::string> text(const std::string& name) {
    const auto found = values_.extract(name);
    return found.empty() ? std::nullopt : std::optional(found.mapped());
  }

  std::string required(const std::string& name) {
    const auto value = text(name);
    if (!value) throw BadOption(name + " is missing.");
    return *value;
  }

  /// A number from `least` to `most`, or `fallback` if the option is not given.
  template <typename Number>
  Number number(const std::string& name, Number fallback, Number least, Number most) {
    const auto value = text(name);
    return value ? parsed(name, *value, least, most) : fallback;
  }

  /// A number from `least` to `most` that must be given.
  template <typename Number>
  Number required_number(const std::string& name, Number least, Number most) {
    return parsed(name, required(name), least, most);
  }

  /// The words of a comma-separated list; empty if the option is not given.
  std::set<std::string> list(const std::string& name) {
    std::set<std::string> found;
    std::istringstream words(text(name).value_or(""));
    for (std::string word; std::getline(words, word, ',');)
      if (!word.empty()) found.insert(word);
    return found;
  }

  void finish() const {
    if (!values_.empty())
      throw BadOption(values_.begin()->first + " is not an option of this command or kind.");
  }

 private:
  template <typename Number>
  static Number parsed(const std::string& name, const std::string& value, Number least,
                       Number most) {
    Number result{};
    const char* const end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, result);
    const bool whole = error == std::errc{} && stop == end;
    if (!whole || !(result >= least && result <= most))
      throw BadOption(name + " " + value + " is not a number from " + shown(least) + " to " +
                      shown(most) + ".");
    return result;
  }
  template <typename Number>
  static std::string shown(Number value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
  }

  std::vector<std::string> words_;
  std::map<std::string, std::string> values_;
};

}  // namespace datasets
