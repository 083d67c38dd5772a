#include "bench.hpp"

#include <algorithm>
#include <chrono>
#include <span>

#include "batch.hpp"
#include "parallel.hpp"

namespace warpwise {
namespace {

constexpr int kRepetitions = 7;             // an odd number has a median that was measured
constexpr std::size_t kBaselines = 3;       // samples of a baseline that takes longer than ...
constexpr double kSlowBaseline = 0.05;      // ... this many seconds: its spread is small
constexpr double kBaselineSeconds = 2.0;    // after this much time the baseline has had its share
constexpr double kPointSeconds = 1.0;       // after this much time a size has had its share

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// So many calls that the batch lasts long enough, judged by one call that also warms up; fewer
/// when their buffers would take longer to make and to check than to sort.
std::size_t batch_size(const MakeCall& make, std::uint64_t& seed) {
  constexpr double kBatchSeconds = 2e-3;      // long against the 20 us of a request and its reply
  constexpr std::size_t kLargestBatch = 256;  // calls made back to back, each on its own buffers
  constexpr std::size_t kBatchBytes = std::size_t{32} << 20;  // all of a batch's buffers together
  const auto time_one = [&] {
    return run_batch(judge(), make_batch(make, 1, seed++), {}).judge_seconds;
  };
  time_one();
  const double once = time_one();
  const std::size_t fitting = kBatchBytes / (bytes_of(make(seed).call) + 1) + 1;
  return std::clamp<std::size_t>(static_cast<std::size_t>(kBatchSeconds / once) + 1, 1,
                                 std::min(kLargestBatch, fitting));
}

/// So many samples of the baseline as its time allows; the machine has nothing else to do
/// meanwhile.
std::vector<double> time_baseline(std::span<const TimedCall> calls) {
  std::vector<double> seconds;
  double spent = 0;
  for (const TimedCall& timed : calls) {
    const bool is_slow = !seconds.empty() && seconds.back() > kSlowBaseline;
    if (spent > kBaselineSeconds || (is_slow && seconds.size() >= kBaselines)) break;
    spent += seconds.emplace_back(seconds_of(timed.baseline));
  }
  return seconds;
}

/// Single calls, each with a flushed cache. Inputs are made, and outputs checked, on all cores.
BenchPoint measure_on_gpu(const MakeCall& make, std::size_t n, std::uint64_t& seed,
                          bool with_baseline) {
  constexpr BatchManner kAfterFlush = {kCold | kEvents, 0};
  BenchPoint point{n, {}, {}};
  const std::vector<TimedCall> made = make_batch(make, 1 + kRepetitions, seed);
  seed += made.size();
  run_batch(judge(), std::span(made).first(1), kAfterFlush);  // loads the kernels
  const auto calls = std::span(made).subspan(1);
  std::vector<Reply> replies;
  for (const TimedCall& timed : calls) {
    BatchTimes times;
    const PreparedCall* const call = &timed.call;
    auto reply = judge().call_batch(std::span(&call, 1), kAfterFlush, &times);
    point.seconds.push_back(times.event_seconds.front());
    replies.push_back(std::move(reply.front()));
  }
  in_parallel(calls.size(), [&](std::size_t i) { calls[i].verify(replies[i]); });
  if (with_baseline) point.baseline_seconds = time_baseline(calls);
  return point;
}

/// Batches of calls, by the judge's clock.
BenchPoint measure_on_cpu(const MakeCall& make, std::size_t n, std::uint64_t& seed,
                          bool with_baseline) {
  BenchPoint point{n, {}, {}};
  const std::size_t calls = batch_size(make, seed);
  std::vector<TimedCall> firsts;
  const auto start = std::chrono::steady_clock::now();
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    const std::vector<TimedCall> batch = make_batch(make, calls, seed);
    seed += calls;
    point.seconds.push_back(run_batch(judge(), batch, {}).judge_seconds /
                            static_cast<double>(calls));
    firsts.push_back(batch.front());
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (repetition >= 2 && spent.count() > kPointSeconds) break;
  }
  if (with_baseline) point.baseline_seconds = time_baseline(firsts);
  return point;
}

BenchPoint measure(const Bench& bench, std::size_t n, bool gpu, std::uint64_t& seed,
                   bool with_baseline) {
  const MakeCall make = bench.prepare(judge(), n);
  const BenchPoint point = gpu ? measure_on_gpu(make, n, seed, with_baseline)
                               : measure_on_cpu(make, n, seed, with_baseline);
  judge().return_shared();
  return point;
}

}  // namespace

std::vector<BenchPoint> run_bench(const Bench& bench, bool gpu, std::uint64_t seed,
                                  const std::function<bool(std::size_t n)>& wants_baseline) {
  std::vector<BenchPoint> points;
  for (const std::size_t n : gpu ? bench.sizes.gpu : bench.sizes.cpu)
    points.push_back(measure(bench, n, gpu, seed, !bench.baseline.empty() && wants_baseline(n)));
  return points;
}

}  // namespace warpwise
