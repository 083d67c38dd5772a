#include "measure.hpp"

#include <algorithm>
#include <cstdio>

#include "bench.hpp"
#include "comparison.hpp"
#include "control.hpp"
#include "json.hpp"
#include "judge.hpp"
#include "kernel_report.hpp"
#include "report_file.hpp"

namespace warpwise {
namespace {

// ---- timing -------------------------------------------------------------------------------------

const Bench* find_bench(const std::string& stage) {
  for (const Bench& bench : bench_table())
    if (bench.stage == stage) return &bench;
  return nullptr;
}

std::string work_json(const Work& work) {
  return JsonObject()
      .number("bytes", work.bytes)
      .number("operations", work.operations)
      .text("operation", word(work.unit))
      .str();
}

/// A point, with its work where the bench says how much that is.
std::string point_json(const Bench& bench, const BenchPoint& point) {
  JsonObject json;
  json.integer("n", point.n)
      .raw("seconds", json_list(point.seconds, json_number))
      .raw("baseline_seconds", json_list(point.baseline_seconds, json_number));
  if (bench.work) json.raw("work", work_json(bench.work(point.n)));
  return json.str();
}

int bench_stage(const JudgeOptions& options, Bench bench) {
  if (!options.sizes.empty()) bench.sizes = {options.sizes, options.sizes};
  const auto point = [&](const BenchPoint& measured) { return point_json(bench, measured); };
  const auto wanted = [&](std::size_t n) {
    return !options.all_known && std::ranges::find(options.known, n) == options.known.end();
  };
  const auto points = run_bench(bench, kGpu, options.seed, wanted);
  const std::string report = JsonObject()
                                 .text("stage", options.stage)
                                 .text("unit", bench.unit)
                                 .text("baseline", bench.baseline)
                                 .text("clock", kGpu ? "cuda events" : "judge")
                                 .raw("points", json_list(points, point))
                                 .str();
  return write_report(options.report, report) ? 0 : 3;
}

std::string comparison_json(const JudgeOptions& options, const Bench& bench,
                            const Comparison& comparison) {
  const auto number = [](std::size_t count) { return static_cast<double>(count); };
  JsonObject json;
  json.text("stage", options.stage)
      .text("verdict", comparison.decided ? "decided" : "inconclusive")
      .number("n", number(options.n))
      .number("ratio", comparison.ratio)
      .number("low", comparison.interval.low)
      .number("high", comparison.interval.high)
      .number("noise", comparison.noise)
      .number("later_seconds", comparison.later_seconds)
      .number("seconds", comparison.seconds)
      .number("yardstick_seconds", comparison.yardstick_seconds)
      .number("calls", number(comparison.calls))
      .number("rounds", number(comparison.rounds))
      .number("dropped", number(comparison.dropped))
      .text("dropped_why", comparison.dropped_why)
      .number("lowest_clock_mhz", comparison.lowest_clock_mhz)
      .number("highest_clock_mhz", comparison.highest_clock_mhz)
      .raw("log_ratios", json_list(comparison.log_ratios, json_number))
      .raw("anomalies", json_list(comparison.anomalies, json_text));
  if (bench.work) json.raw("work", work_json(bench.work(options.n)));
  const Spent& spent = comparison.spent;
  json.raw("spent", JsonObject()
                        .number("prepare", spent.preparing)
                        .number("wait for the turn", spent.waiting)
                        .number("choose the number of calls", spent.sizing)
                        .number("start workers", spent.starting)
                        .number("make inputs", spent.making)
                        .number("time", spent.timing)
                        .number("check", spent.checking)
                        .str());
  return json.str();
}

int compare_stage(const JudgeOptions& options, const Bench& bench) {
  Turn turn(options.turn, options.checks);
  Judge yardstick(worker_options(options, options.yardstick));
  if (options.yardstick != options.worker) yardstick.trust();
  const Bench* yardstick_bench = find_bench(options.yardstick_stage);
  if (!yardstick_bench) return 2;
  const SpeedBar bar{options.full, options.none, options.budget};
  const Comparison comparison =
      compare(bench, judge(), *yardstick_bench, yardstick, options.n, bar, options.seed, turn);
  return write_report(options.report, comparison_json(options, bench, comparison)) ? 0 : 3;
}

// ---- what there is to time ----------------------------------------------------------------------

std::string bench_json(const Bench& bench) {
  const auto size_json = [&](std::size_t n) {
    JsonObject json;
    json.integer("n", n);
    if (bench.work) json.raw("work", work_json(bench.work(n)));
    return json.str();
  };
  return JsonObject()
      .text("stage", bench.stage)
      .text("unit", bench.unit)
      .text("baseline", bench.baseline)
      .raw("points", json_list(kGpu ? bench.sizes.gpu : bench.sizes.cpu, size_json))
      .str();
}

}  // namespace

int list_benches(const std::string& path) {
  const std::string benches = json_list(bench_table(), bench_json);
  return write_report(path, JsonObject().raw("benches", benches).str()) ? 0 : 3;
}

int measure_stage(const JudgeOptions& options) {
  const Bench* bench = find_bench(options.stage);
  if (!bench) {
    std::fprintf(stderr, "judge: stage %s has no bench\n", options.stage.c_str());
    return 2;
  }
  try {
    if (options.mode == JudgeOptions::Mode::bench) return bench_stage(options, *bench);
    if (options.mode == JudgeOptions::Mode::count) return count_stage(options, *bench);
    if (options.mode == JudgeOptions::Mode::profile) return profile_stage(options, *bench);
    return compare_stage(options, *bench);
  } catch (const StageFailure& failure) {  // a call that is measured is a checked call, too
    const StageFailure cause = blamed(options, failure);
    const std::string report = JsonObject()
                                   .text("stage", options.stage)
                                   .text("verdict", word(cause.verdict()))
                                   .text("message", cause.what())
                                   .str();
    return write_report(options.report, report) ? 1 : 3;
  }
}

}  // namespace warpwise
