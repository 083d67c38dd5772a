#include "measure.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "bench.hpp"
#include "json.hpp"
#include "judge.hpp"
#include "report_file.hpp"

namespace warpwise {
namespace {

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

// ---- counting -----------------------------------------------------------------------------------

std::string line_json(const LineCounters& line) {
  return JsonObject()
      .text("line", line.line)
      .text("space", line.space)
      .text("access", line.access)
      .integer("requests", line.requests)
      .integer("pieces", line.pieces)
      .integer("ideal", line.ideal)
      .integer("branches", line.branches)
      .integer("uniform_branches", line.uniform_branches)
      .str();
}

std::string kernel_json(const KernelCounters& kernel) {
  return JsonObject()
      .text("kernel", kernel.kernel)
      .integer("launches", kernel.launches)
      .integer("blocks", kernel.blocks)
      .integer("threads", kernel.threads)
      .integer("barriers", kernel.barriers)
      .integer("branches", kernel.branches)
      .integer("uniform_branches", kernel.uniform_branches)
      .raw("lines", json_list(kernel.lines, line_json))
      .str();
}

/// One call on the bench's input, checked like every call.
int count_stage(const JudgeOptions& options, const Bench& bench) {
  const TimedCall counted = bench.make(options.n, options.seed);
  counted.verify(judge().call(counted.call));
  const std::string report = JsonObject()
                                 .text("stage", options.stage)
                                 .integer("n", options.n)
                                 .text("verdict", "counted")
                                 .raw("kernels", json_list(judge().counters(), kernel_json))
                                 .str();
  return write_report(options.report, report) ? 0 : 3;
}

}  // namespace

int measure_stage(const JudgeOptions& options) {
  const Bench* bench = find_bench(options.stage);
  if (!bench) {
    std::fprintf(stderr, "judge: stage %s has no bench\n", options.stage.c_str());
    return 2;
  }
  try {
    if (options.mode == JudgeOptions::Mode::bench) return bench_stage(options, *bench);
    if (options.mode == JudgeOptions::Mode::count) return count_stage(options, *bench);
    return compare_stage(options, *bench);
  } catch (const StageFailure& failure) {  // a call that is measured is a checked call, too
    const std::string report = JsonObject()
                                   .text("stage", options.stage)
                                   .text("verdict", word(failure.verdict()))
                                   .text("message", failure.what())
                                   .str();
    return write_report(options.report, report) ? 1 : 3;
  }
}

}  // namespace warpwise
