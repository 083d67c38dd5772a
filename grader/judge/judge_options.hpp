// The judge's command line.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
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

inline constexpr const char* kUsage =
    "usage: LAB.judge --worker PROGRAM --stage NAME --report FILE [--seed N] [--time-limit SECONDS]\n"
    "                                                         (answers: NAME,NAME,... for several)\n"
    "                 [--order forward|reverse|random] [--largest N] [--every-kind N]\n"
    "                 [--one-in N]                            (of the sizes, the last and every Nth)\n"
    "                 [--race RACE ...] [--to-first-failure]\n"
    "                 [--known-well]                          (the control was well a moment ago)\n"
    "                 [--turns FILE]                          (a call holds the lock of this file)\n"
    "                 [--together SECONDS] [--memory BYTES] [--host-bytes N]\n"
    "                 [--host-bytes-per-launch N] [--control PROGRAM] [--launcher FILE]\n"
    "                                                         judge the stage's answers (on inputs\n"
    "                                                         of up to N elements, of every kind\n"
    "                                                         at sizes up to N, with races\n"
    "                                                         that are no fault), or\n"
    "                 --bench [--sizes N,N,...] [--known N,N,...|all]\n"
    "                                                         time it at every size, or at these,\n"
    "                                                         with its baseline where that is not\n"
    "                                                         known, or\n"
    "                 --count --n N                           count its accesses to memory, or\n"
    "                 --profile --n N                         say what its kernels take (GPU), or\n"
    "                 --compare --yardstick PROGRAM --n N --full RATIO --none RATIO\n"
    "                 [--yardstick-stage NAME] [--budget SECONDS] [--processor N]\n"
    "                 [--turn DESCRIPTOR] [--checks FILE,FILE] time it against another program, both\n"
    "                                                         on this processor, and while it is\n"
    "                                                         this judge's turn; what was timed is\n"
    "                                                         checked while nobody times: then the\n"
    "                                                         files' locks, door and room, are free\n"
    "       LAB.judge --benches --report FILE                 say which stages are timed, and how\n"
    "                                                         much work they ask for\n";

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

/// Options from the command line, or nothing and a sentence on stderr.
inline std::optional<JudgeOptions> parse_options(int argc, char** argv) {
  JudgeOptions options;
  const auto number = [](const std::string& text, auto& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  };
  const auto numbers = [&](const std::string& text, std::vector<std::size_t>& values) {
    std::istringstream list(text);
    bool good = true;
    for (std::string one; good && std::getline(list, one, ',');)
      good = number(one, values.emplace_back()) && values.back() > 0;
    return good;
  };
  const auto complain = [](const std::string& what) {
    std::cerr << "judge: " << what << "\n" << kUsage;
    return std::nullopt;
  };
  const std::map<std::string, std::string*> texts = {{"--worker", &options.worker},
                                                     {"--yardstick", &options.yardstick},
                                                     {"--control", &options.control},
                                                     {"--stage", &options.stage},
                                                     {"--yardstick-stage", &options.yardstick_stage},
                                                     {"--report", &options.report},
                                                     {"--turns", &options.turns},
                                                     {"--order", &options.order}};
  const std::map<std::string, bool*> flags = {{"--known-well", &options.known_well},
                                              {"--to-first-failure", &options.to_first_failure}};
  using Mode = JudgeOptions::Mode;
  const std::map<std::string, Mode> modes = {{"--bench", Mode::bench},
                                             {"--count", Mode::count},
                                             {"--profile", Mode::profile},
                                             {"--compare", Mode::compare},
                                             {"--benches", Mode::list}};
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (const auto mode = modes.find(name); mode != modes.end()) {
      options.mode = mode->second;
      continue;
    }
    if (const auto flag = flags.find(name); flag != flags.end()) {
      *flag->second = true;
      continue;
    }
    if (i + 1 == argc) return complain(name + " needs a value");
    const std::string value = argv[++i];
    bool good = true;
    if (const auto text = texts.find(name); text != texts.end()) {
      *text->second = value;
    } else if (name == "--seed") {
      good = number(value, options.seed);
    } else if (name == "--time-limit") {
      good = number(value, options.seconds) && options.seconds > 0;
    } else if (name == "--together") {
      good = number(value, options.together) && options.together > 0;
    } else if (name == "--memory") {
      good = number(value, options.memory) && options.memory > 0;
    } else if (name == "--launcher") {
      std::ifstream lines(value);
      for (std::string line; std::getline(lines, line);) options.launcher.push_back(line);
      good = !options.launcher.empty();
    } else if (name == "--n") {
      good = number(value, options.n);
    } else if (name == "--sizes") {
      good = numbers(value, options.sizes);
    } else if (name == "--known") {
      options.all_known = value == "all";
      good = options.all_known || numbers(value, options.known);
    } else if (name == "--host-bytes") {
      good = number(value, options.host_bytes.most);
    } else if (name == "--host-bytes-per-launch") {
      good = number(value, options.host_bytes.per_launch);
    } else if (name == "--largest") {
      good = number(value, options.extent.largest);
    } else if (name == "--every-kind") {
      good = number(value, options.extent.every_kind);
    } else if (name == "--one-in") {
      good = number(value, options.extent.one_in) && options.extent.one_in > 0;
    } else if (name == "--full") {
      good = number(value, options.full) && options.full > 0;
    } else if (name == "--none") {
      good = number(value, options.none) && options.none > 0;
    } else if (name == "--budget") {
      good = number(value, options.budget) && options.budget > 0;
    } else if (name == "--processor") {
      good = number(value, options.processor) && options.processor >= 0;
    } else if (name == "--checks") {
      std::stringstream files(value);
      for (std::string file; std::getline(files, file, ',');) options.checks.push_back(file);
    } else if (name == "--turn") {
      good = number(value, options.turn) && options.turn >= 0;
    } else if (name == "--race") {
      const auto race = ExpectedRace::parse(value);
      good = race.has_value();
      if (good) options.races.push_back(*race);
    } else {
      return complain("unknown option " + name);
    }
    if (!good) return complain(name + " cannot be " + value);
  }
  if (options.report.empty()) return complain("--report is needed");
  if (options.mode == Mode::list) return options;
  if (options.worker.empty() || options.stage.empty())
    return complain("--worker and --stage are needed");
  for (const std::string& program : {options.worker, options.yardstick, options.control})
    if (!program.empty() && !std::filesystem::exists(program))
      return complain("there is no program " + program);
  if (!options.turns.empty() && !std::filesystem::exists(options.turns))
    return complain("there is no file " + options.turns + " whose lock says whose turn it is");
  const auto is_there = [](const std::string& file) { return std::filesystem::exists(file); };
  if (!options.checks.empty() &&
      (options.checks.size() != 2 || !std::ranges::all_of(options.checks, is_there)))
    return complain("--checks needs two files that are there: door and room");
  if (options.mode == Mode::compare && (options.yardstick.empty() || options.n == 0))
    return complain("--compare needs --yardstick and --n");
  if (options.mode == Mode::compare && options.full >= options.none)
    return complain("--full must be smaller than --none: these are time ratios");
  if (options.yardstick_stage.empty()) options.yardstick_stage = options.stage;
  if ((options.mode == Mode::count || options.mode == Mode::profile) && options.n == 0)
    return complain("--count and --profile need --n");
  return options;
}

}  // namespace warpwise
