// The command line of the figures' programs: --name value, with whole numbers and words. ./lab
// figures writes it, so there is no help text, but a mistake still gets an error message.
#pragma once

#include <charconv>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

namespace figures {

class Options {
 public:
  /// Throws std::invalid_argument for a name without a value.
  Options(int argc, char** argv) {
    for (int i = 1; i < argc; i += 2) {
      const std::string name = argv[i];
      if (!name.starts_with("--") || i + 1 == argc)
        throw std::invalid_argument(name + ": expected --name value");
      values_[name.substr(2)] = argv[i + 1];
    }
  }

  /// A whole number from `least` to `most`. Throws std::invalid_argument.
  std::int64_t number(const std::string& name, std::int64_t least, std::int64_t most) const {
    const auto at = values_.find(name);
    if (at == values_.end()) throw std::invalid_argument("--" + name + " is missing");
    const std::string& text = at->second;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
      throw std::invalid_argument("--" + name + " " + text + ": expected a whole number from " +
                                  std::to_string(least) + " to " + std::to_string(most));
    return value;
  }

  /// The words of a comma-separated list; empty if the option is not given.
  std::set<std::string> words(const std::string& name) const {
    std::set<std::string> found;
    const auto at = values_.find(name);
    if (at == values_.end()) return found;
    std::string word;
    for (const char c : at->second + ",") {
      if (c != ',') {
        word += c;
      } else {
        if (!word.empty()) found.insert(word);
        word.clear();
      }
    }
    return found;
  }

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace figures
