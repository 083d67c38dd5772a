// The judge: runs the tests of one stage against a worker and reports the verdict, or times it.
// Exit codes: 0 the stage passed (or was timed), 1 it did not, 2 wrong usage, 3 no report written.
#include "case_recorder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <random>

#include "bench.hpp"
#include "json.hpp"
#include "judge.hpp"
#include "judge_options.hpp"

namespace warpwise {
namespace {

std::unique_ptr<Judge> the_judge;

WorkerOptions worker_options(const JudgeOptions& options, const std::string& program) {
  return {.program = program,
          .order = options.order,
          .seed = options.seed,
          .seconds = options.seconds,
          .budget = options.budget,
          .memory = options.memory,
          .launcher = options.launcher};
}

/// What is wrong with the machine; "" if nothing. The control is a worker without a submission: if
/// not even that one comes up and finds its device, then nothing that fails is a student's fault.
std::string machine_fault(const JudgeOptions& options, std::string* device = nullptr) {
  if (options.control.empty()) return "";
  try {
    Judge control(worker_options(options, options.control));
    const std::string name = control.device();
    if (device) *device = name;
    return "";
  } catch (const StageFailure& failure) {
    return failure.what();
  }
}

/// Turns a verdict that a broken machine may have caused into an infrastructure error.
void suspect_the_machine(const JudgeOptions& options, CaseRecord& summary) {
  if (summary.verdict != Verdict::crashed && summary.verdict != Verdict::timed_out) return;
  const std::string fault = machine_fault(options);
  if (fault.empty()) return;
  summary.verdict = Verdict::infrastructure_error;
  summary.message = "the machine failed while the stage ran: " + fault;
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

void run_tests(const std::string& stage) {
  const std::string tag = "[" + stage + "]";
  const char* arguments[] = {"judge", tag.c_str(), "--out", "/dev/null"};
  Catch::Session session;
  session.applyCommandLine(4, arguments);
  session.run();
}

int check_stage(const JudgeOptions& options) {
  std::string device;
  CaseRecord summary;
  const std::string fault = machine_fault(options, &device);
  if (fault.empty()) {
    run_tests(options.stage);
    summary = summarize();
    suspect_the_machine(options, summary);
  } else {
    summary = {"", Verdict::infrastructure_error, fault, 0};
  }
  const std::string report = JsonObject()
                                 .text("stage", options.stage)
                                 .text("verdict", word(summary.verdict))
                                 .text("message", summary.message)
                                 .text("case", summary.verdict == Verdict::passed ? "" : summary.name)
                                 .number("calls", static_cast<double>(judge().calls()))
                                 .text("device", device)
                                 .raw("machine_was_well", fault.empty() ? "true" : "false")
                                 .raw("was_killed", judge().was_killed() ? "true" : "false")
                                 .raw("cases", json_list(case_records(), case_json))
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

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// The 95 % bootstrap interval of the median of `values`, from 2000 resamples with a fixed seed.
std::pair<double, double> median_interval(const std::vector<double>& values) {
  std::mt19937_64 random(1);
  std::vector<double> medians;
  for (int resample = 0; resample < 2000; ++resample) {
    std::vector<double> drawn;
    for (std::size_t i = 0; i < values.size(); ++i) drawn.push_back(values[random() % values.size()]);
    medians.push_back(median(drawn));
  }
  std::sort(medians.begin(), medians.end());
  return {medians[50], medians[1949]};
}

// An interval wider than this says too little to give or take points by.
constexpr double kWidestInterval = 0.1;

int compare_stage(const JudgeOptions& options, const Bench& bench) {
  Judge yardstick(worker_options(options, options.yardstick));
  std::vector<double> log_ratios =
      run_comparison(bench, judge(), yardstick, options.n, options.pairs, options.seed);
  for (double& ratio : log_ratios) ratio = std::log(ratio);
  const auto [low, high] = median_interval(log_ratios);
  const bool decided = high - low <= kWidestInterval;
  const std::string report = JsonObject()
                                 .text("stage", options.stage)
                                 .number("n", static_cast<double>(options.n))
                                 .number("pairs", options.pairs)
                                 .number("ratio", std::exp(median(log_ratios)))
                                 .number("low", std::exp(low))
                                 .number("high", std::exp(high))
                                 .text("verdict", decided ? "decided" : "inconclusive")
                                 .text("message", "")
                                 .str();
  return write_report(options.report, report) ? 0 : 3;
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
    CaseRecord summary{"", failure.verdict(), failure.what(), 0};
    suspect_the_machine(options, summary);
    const std::string report = JsonObject()
                                   .text("stage", options.stage)
                                   .text("verdict", word(summary.verdict))
                                   .text("message", summary.message)
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
  the_judge =
      std::make_unique<Judge>(worker_options(*options, options->worker), options->largest,
                              options->host_bytes);
  const int code = options->mode == JudgeOptions::Mode::check ? check_stage(*options)
                                                              : time_stage(*options);
  the_judge.reset();  // ends the worker before statics go
  return code;
}
