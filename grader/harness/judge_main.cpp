// The judge: runs the tests of one stage against a worker and reports the verdict, or times it.
// Exit codes: 0 the stage passed (or was timed), 1 it did not, 2 wrong usage, 3 no report written.
#include "case_recorder.hpp"

#include <cstdio>
#include <fstream>

#include "bench.hpp"
#include "comparison.hpp"
#include "json.hpp"
#include "judge.hpp"
#include "judge_options.hpp"

namespace warpwise {
namespace {

std::unique_ptr<Judge> the_judge;

WorkerOptions worker_options(const JudgeOptions& options, const std::string& program) {
  return {program, options.order, options.seed, options.seconds};
}

/// Writes the report under a temporary name and renames it: a report is whole or not there.
bool write_report(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".part";
  {
    std::ofstream file(temporary);
    file << text << "\n";
    if (!file.flush()) {
      std::fprintf(stderr, "judge: cannot write %s; is the disk full?\n", temporary.c_str());
      return false;
    }
  }
  return std::rename(temporary.c_str(), path.c_str()) == 0;
}

// ---- judging ------------------------------------------------------------------------------------

/// The stage's verdict is that of its first case that failed, with two exceptions: a broken test
/// judges nobody, and who changed nothing anywhere has not tried.
CaseRecord summarize() {
  CaseRecord summary;
  for (const CaseRecord& record : case_records()) {
    if (record.verdict == Verdict::infrastructure_error) return record;
    if (summary.verdict == Verdict::passed) summary = record;
  }
  if (case_records().empty() || judge().calls() == 0) {
    summary.verdict = Verdict::infrastructure_error;
    summary.message = "no test called the stage's entry point";
  }
  if (summary.verdict == Verdict::wrong_answer && !judge().left_a_trace()) {
    summary.verdict = Verdict::not_attempted;
    summary.message = "no call wrote anything";
  }
  return summary;
}

std::string case_json(const CaseRecord& record) {
  return JsonObject()
      .text("name", record.name)
      .text("verdict", word(record.verdict))
      .text("message", record.message)
      .number("seconds", record.seconds)
      .str();
}

std::string expected_races_json() {
  std::vector<std::string> pairs;
  for (const auto& [race, lines] : judge().expected_races().seen())
    for (const std::string& line : lines)
      pairs.push_back(JsonObject()
                          .number("race", static_cast<double>(race))
                          .text("lines", line)
                          .str());
  return json_list(pairs, [](const std::string& pair) { return pair; });
}

int check_stage(const JudgeOptions& options) {
  CaseRecord summary;
  std::string device;
  try {
    device = judge().device();
    const std::string tag = "[" + options.stage + "]";
    const char* arguments[] = {"judge", tag.c_str(), "--out", "/dev/null"};
    Catch::Session session;
    session.applyCommandLine(4, arguments);
    session.run();
    summary = summarize();
  } catch (const StageFailure& failure) {  // the program did not even start
    summary = {"start", failure.verdict(), failure.what(), 0};
  }
  const std::string report = JsonObject()
                                 .text("stage", options.stage)
                                 .text("verdict", word(summary.verdict))
                                 .text("message", summary.message)
                                 .text("case", summary.verdict == Verdict::passed ? "" : summary.name)
                                 .number("calls", static_cast<double>(judge().calls()))
                                 .text("device", device)
                                 .raw("cases", json_list(case_records(), case_json))
                                 .raw("expected_races", expected_races_json())
                                 .str();
  if (!write_report(options.report, report)) return 3;
  return summary.verdict == Verdict::passed ? 0 : 1;
}

// ---- timing -------------------------------------------------------------------------------------

const Bench* find_bench(const std::string& stage) {
  for (const Bench& bench : bench_table())
    if (bench.stage == stage) return &bench;
  return nullptr;
}

#ifdef WARPWISE_GPU
constexpr bool kGpu = true;
#else
constexpr bool kGpu = false;
#endif

std::string point_json(const BenchPoint& point) {
  return JsonObject()
      .number("n", static_cast<double>(point.n))
      .raw("seconds", json_list(point.seconds, json_number))
      .raw("baseline_seconds", json_list(point.baseline_seconds, json_number))
      .str();
}

int bench_stage(const JudgeOptions& options, const Bench& bench) {
  const std::string report =
      JsonObject()
          .text("stage", options.stage)
          .text("unit", bench.unit)
          .text("baseline", bench.baseline)
          .text("clock", kGpu ? "cuda events" : "judge")
          .raw("points", json_list(run_bench(bench, kGpu, options.seed), point_json))
          .str();
  return write_report(options.report, report) ? 0 : 3;
}

std::string comparison_json(const JudgeOptions& options, const Comparison& comparison) {
  const auto number = [](std::size_t count) { return static_cast<double>(count); };
  return JsonObject()
      .text("stage", options.stage)
      .text("verdict", comparison.decided ? "decided" : "inconclusive")
      .number("n", number(options.n))
      .number("ratio", comparison.ratio)
      .number("low", comparison.interval.low)
      .number("high", comparison.interval.high)
      .number("noise", comparison.noise)
      .number("seconds", comparison.seconds)
      .number("yardstick_seconds", comparison.yardstick_seconds)
      .number("calls", number(comparison.calls))
      .number("rounds", number(comparison.rounds))
      .number("dropped", number(comparison.dropped))
      .text("dropped_why", comparison.dropped_why)
      .number("lowest_clock_mhz", comparison.lowest_clock_mhz)
      .number("highest_clock_mhz", comparison.highest_clock_mhz)
      .raw("anomalies", json_list(comparison.anomalies, json_text))
      .str();
}

int compare_stage(const JudgeOptions& options, const Bench& bench) {
  Judge yardstick(worker_options(options, options.yardstick));
  const Bench* yardstick_bench = find_bench(options.yardstick_stage);
  if (!yardstick_bench) return 2;
  const SpeedBar bar{options.full, options.none, options.budget};
  const Comparison comparison =
      compare(bench, judge(), *yardstick_bench, yardstick, options.n, bar, options.seed);
  return write_report(options.report, comparison_json(options, comparison)) ? 0 : 3;
}

int time_stage(const JudgeOptions& options) {
  const Bench* bench = find_bench(options.stage);
  if (!bench) {
    std::fprintf(stderr, "judge: stage %s has no bench\n", options.stage.c_str());
    return 2;
  }
  try {
    return options.mode == JudgeOptions::Mode::bench ? bench_stage(options, *bench)
                                                     : compare_stage(options, *bench);
  } catch (const StageFailure& failure) {  // a timed call is a checked call
    const std::string report = JsonObject()
                                   .text("stage", options.stage)
                                   .text("verdict", word(failure.verdict()))
                                   .text("message", failure.what())
                                   .str();
    return write_report(options.report, report) ? 1 : 3;
  }
}

}  // namespace

Judge& judge() { return *the_judge; }

}  // namespace warpwise

int main(int argc, char** argv) {
  using namespace warpwise;
  const auto options = parse_options(argc, argv);
  if (!options) return 2;
  the_judge = std::make_unique<Judge>(worker_options(*options, options->worker), options->largest,
                                      ExpectedRaces(options->races));
  const int code = options->mode == JudgeOptions::Mode::check ? check_stage(*options)
                                                              : time_stage(*options);
  the_judge.reset();  // ends the worker before statics go
  return code;
}
