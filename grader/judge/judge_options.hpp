// The judge's command line.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "expected_races.hpp"
#include "host_bytes.hpp"
#include "judge.hpp"

namespace warpwise {

inline constexpr const char* kUsage = R"(
usage: LAB.judge --worker PROGRAM --stage NAME --report FILE [--seed N] [--time-limit SECONDS]
                                                         (answers: NAME,NAME,... for several)
                 [--order forward|reverse|random] [--largest N] [--every-kind N]
                 [--at-most N]                           (of each list of inputs, evenly)
                 [--race RACE ...] [--to-first-failure]
                 [--known-well]                          (the control was well a moment ago)
                 [--turns FILE]                          (a call holds the lock of this file)
                 [--together SECONDS] [--memory BYTES] [--host-bytes N]
                 [--host-bytes-per-launch N] [--control PROGRAM] [--launcher FILE]
                                                         judge the stage's answers (on inputs
                                                         of up to N elements, of every kind
                                                         at sizes up to N, with races
                                                         that are no fault), or
                 --bench [--sizes N,N,...] [--known N,N,...|all]
                                                         time it at every size, or at these,
                                                         with its baseline where that is not
                                                         known, or
                 --count --n N                           count its accesses to memory, or
                 --profile --n N                         say what its kernels take (GPU), or
                 --compare --yardstick PROGRAM --n N --full RATIO --none RATIO
                 [--yardstick-stage NAME] [--budget SECONDS] [--processor N]
                 [--turn DESCRIPTOR] [--checks FILE,FILE] time it against another program, both
                                                         on this processor, and while it is
                                                         this judge's turn; what was timed is
                                                         checked while nobody times: then the
                                                         files' locks, door and room, are free
       LAB.judge --benches --report FILE                 say which stages are timed, and how
                                                         much work they ask for
)";

struct JudgeOptions {
  enum class Mode { check, bench, count, profile, compare, list };
  Mode mode = Mode::check;
  std::string worker, yardstick, control, stage, yardstick_stage, report, order = "forward";
  std::string turns;  // see CallTurn
  std::vector<std::string> launcher;  // one argument a line of the file
  std::uint64_t seed = 1;
  std::uint64_t memory = std::uint64_t{12} << 30;
  double seconds = 10;    // for one request
  double together = 240;  // for all of them
  std::size_t n = 0;
  std::vector<std::size_t> sizes;  // of a bench, instead of its own
  std::vector<std::size_t> known;  // sizes whose baseline a bench need not measure
  bool all_known = false;
  bool known_well = false;        // the control need not be asked before the tests
  bool to_first_failure = false;  // leave out the test cases after a case that failed
  Extent extent;
  HostBytes host_bytes{};
  double full = 1, none = 2;  // the bar of a comparison
  double budget = 60;         // seconds that a comparison may take
  int processor = -1;         // that workers stay on; -1: any
  int turn = -1;              // who says when to time; -1: it may be done at once
  std::vector<std::string> checks;  // see Turn
  std::vector<ExpectedRace> races;
};

template <typename Number>
bool read_number(const std::string& text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// "1,20,300", none of them 0.
inline bool read_sizes(const std::string& text, std::vector<std::size_t>& sizes) {
  std::istringstream list(text);
  bool good = true;
  for (std::string one; good && std::getline(list, one, ',');)
    good = read_number(one, sizes.emplace_back()) && sizes.back() > 0;
  return good;
}

inline std::vector<std::string> split(std::istream&& text, char separator) {
  std::vector<std::string> parts;
  for (std::string one; std::getline(text, one, separator);) parts.push_back(one);
  return parts;
}

/// What takes an option's value, by the option's name. It returns whether the value is good.
using OptionReaders = std::map<std::string, std::function<bool(const std::string&)>>;

inline OptionReaders option_readers(JudgeOptions& options) {
  const auto text = [](std::string& target) {
    return [&target](const std::string& value) { return target = value, true; };
  };
  const auto number = [](auto& target) {
    return [&target](const std::string& value) { return read_number(value, target); };
  };
  const auto positive = [](auto& target) {
    return [&target](const std::string& value) { return read_number(value, target) && target > 0; };
  };
  const auto not_negative = [](int& target) {
    return
        [&target](const std::string& value) { return read_number(value, target) && target >= 0; };
  };
  return {{"--worker", text(options.worker)},
          {"--yardstick", text(options.yardstick)},
          {"--control", text(options.control)},
          {"--stage", text(options.stage)},
          {"--yardstick-stage", text(options.yardstick_stage)},
          {"--report", text(options.report)},
          {"--turns", text(options.turns)},
          {"--order", text(options.order)},
          {"--seed", number(options.seed)},
          {"--time-limit", positive(options.seconds)},
          {"--together", positive(options.together)},
          {"--memory", positive(options.memory)},
          {"--n", number(options.n)},
          {"--host-bytes", number(options.host_bytes.most)},
          {"--host-bytes-per-launch", number(options.host_bytes.per_launch)},
          {"--largest", number(options.extent.largest)},
          {"--every-kind", number(options.extent.every_kind)},
          {"--at-most", positive(options.extent.at_most)},
          {"--full", positive(options.full)},
          {"--none", positive(options.none)},
          {"--budget", positive(options.budget)},
          {"--processor", not_negative(options.processor)},
          {"--turn", not_negative(options.turn)},
          {"--sizes", [&](const std::string& value) { return read_sizes(value, options.sizes); }},
          {"--known",
           [&](const std::string& value) {
             options.all_known = value == "all";
             return options.all_known || read_sizes(value, options.known);
           }},
          {"--launcher",
           [&](const std::string& value) {
             options.launcher = split(std::ifstream(value), '\n');
             return !options.launcher.empty();
           }},
          {"--checks",
           [&](const std::string& value) {
             options.checks = split(std::istringstream(value), ',');
             return true;
           }},
          {"--race", [&](const std::string& value) {
             const auto race = ExpectedRace::parse(value);
             if (race) options.races.push_back(*race);
             return race.has_value();
           }}};
}

/// Why these options cannot be used together, in a sentence; "" if they can.
inline std::string missing_in(const JudgeOptions& options) {
  using Mode = JudgeOptions::Mode;
  const auto is_there = [](const std::string& file) { return std::filesystem::exists(file); };
  if (options.report.empty()) return "--report is needed";
  if (options.mode == Mode::list) return "";
  if (options.worker.empty() || options.stage.empty()) return "--worker and --stage are needed";
  for (const std::string& program : {options.worker, options.yardstick, options.control})
    if (!program.empty() && !is_there(program)) return "there is no program " + program;
  if (!options.turns.empty() && !is_there(options.turns))
    return "there is no file " + options.turns + " whose lock says whose turn it is";
  if (!options.checks.empty() &&
      (options.checks.size() != 2 || !std::ranges::all_of(options.checks, is_there)))
    return "--checks needs two files that are there: door and room";
  if (options.mode == Mode::compare && (options.yardstick.empty() || options.n == 0))
    return "--compare needs --yardstick and --n";
  if (options.mode == Mode::compare && options.full >= options.none)
    return "--full must be smaller than --none: these are time ratios";
  if ((options.mode == Mode::count || options.mode == Mode::profile) && options.n == 0)
    return "--count and --profile need --n";
  return "";
}

/// Options from the command line, or nothing and a sentence on stderr.
inline std::optional<JudgeOptions> parse_options(int argc, char** argv) {
  JudgeOptions options;
  const auto complain = [](const std::string& what) {
    std::cerr << "judge: " << what << kUsage;
    return std::nullopt;
  };
  using Mode = JudgeOptions::Mode;
  const std::map<std::string, Mode> modes = {{"--bench", Mode::bench},
                                             {"--count", Mode::count},
                                             {"--profile", Mode::profile},
                                             {"--compare", Mode::compare},
                                             {"--benches", Mode::list}};
  const std::map<std::string, bool*> flags = {{"--known-well", &options.known_well},
                                              {"--to-first-failure", &options.to_first_failure}};
  const OptionReaders readers = option_readers(options);
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (const auto mode = modes.find(name); mode != modes.end()) {
      options.mode = mode->second;
    } else if (const auto flag = flags.find(name); flag != flags.end()) {
      *flag->second = true;
    } else if (i + 1 == argc) {
      return complain(name + " needs a value");
    } else if (const auto read = readers.find(name); read == readers.end()) {
      return complain("unknown option " + name);
    } else if (const std::string value = argv[++i]; !read->second(value)) {
      return complain(name + " cannot be " + value);
    }
  }
  if (const std::string missing = missing_in(options); !missing.empty()) return complain(missing);
  if (options.yardstick_stage.empty()) options.yardstick_stage = options.stage;
  return options;
}

}  // namespace warpwise
