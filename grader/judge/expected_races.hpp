// The races that a stage is meant to have: lab.toml names them, `--race` passes them on, and the
// judge lets them pass. Any other finding still fails the stage, in the same launch, too.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "finding.hpp"

namespace warpwise {

/// "dist;read;write;sssp.cu:12,sssp.cu:15;*": buffer, two accesses, and the lines of either; `*` is
/// any line. The order of the two accesses does not matter.
class ExpectedRace {
 public:
  static std::optional<ExpectedRace> parse(const std::string& text) {
    const std::vector<std::string> parts = split(text, ';');
    if (parts.size() != 5 || parts[0].empty() || !is_verb(parts[1]) || !is_verb(parts[2]))
      return {};
    ExpectedRace race;
    race.buffer_ = parts[0];
    race.first_ = {parts[1], split(parts[3], ',')};
    race.second_ = {parts[2], split(parts[4], ',')};
    return race;
  }

  bool covers(const Finding& finding) const {
    if (finding.kind != "race" || finding.buffer != buffer_) return false;
    const auto fits = [&](const Access& a, const Access& b) {
      return a.fits(finding.first_verb, finding.first_line) &&
             b.fits(finding.second_verb, finding.second_line);
    };
    return fits(first_, second_) || fits(second_, first_);
  }

 private:
  struct Access {
    std::string verb;
    std::vector<std::string> lines;
    bool fits(const std::string& other_verb, const std::string& line) const {
      const auto is = [&](const std::string& known) { return known == "*" || known == line; };
      return verb == other_verb && std::any_of(lines.begin(), lines.end(), is);
    }
  };
  static bool is_verb(const std::string& word) {
    return word == "read" || word == "write" || word == "atomic";
  }
  static std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
      if (c == separator)
        parts.emplace_back();
      else
        parts.back() += c;
    }
    return parts;
  }

  std::string buffer_;
  Access first_, second_;
};

/// A stage's expected races, and which of them were seen, on which lines.
class ExpectedRaces {
 public:
  using Seen =
      std::map<std::size_t, std::set<std::string>>;  // number of the race -> pairs of lines

  ExpectedRaces() = default;
  explicit ExpectedRaces(std::vector<ExpectedRace> races) : races_(std::move(races)) {}

  bool cover(const Finding& finding) {
    bool covered = false;
    for (std::size_t i = 0; i < races_.size(); ++i) {
      if (!races_[i].covers(finding)) continue;
      covered = true;
      seen_[i].insert(finding.first_verb + " at " + finding.first_line + ", " +
                      finding.second_verb + " at " + finding.second_line);
    }
    return covered;
  }
  const Seen& seen() const { return seen_; }

 private:
  std::vector<ExpectedRace> races_;
  Seen seen_;
};

}  // namespace warpwise
