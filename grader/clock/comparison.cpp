#include "comparison.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <deque>
#include <random>
#include <span>
#include <utility>

#include "batch.hpp"
#include "both_sides.hpp"
#include "fresh_workers.hpp"
#include "gpu_state.hpp"
#include "parallel.hpp"
#include "spending.hpp"

namespace warpwise {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kBatchSeconds = 5e-3;  // long against the 20 us by which batches differ
constexpr std::size_t kSources = 24;    // of a batch: a search's time depends on its source
constexpr double kLongSeconds = 0.2;    // a slow program's batch takes no longer because of them
constexpr std::size_t kLargestBatch = 1024;  // calls made back to back, each on its own buffers
constexpr std::size_t kBatchBytes = std::size_t{128} << 20;  // all of a batch's buffers together
constexpr std::size_t kRehearsals = 5;                       // of which the shortest counts
constexpr std::size_t kMoreRehearsals = 20;  // if even that takes half of a batch's time
constexpr double kError = 0.01;  // an interval of 99 %, because it is looked at repeatedly
constexpr std::size_t kMostRounds = 256;
constexpr std::size_t kDoublings = 5;       // rounds in which half a batch is timed as well
constexpr std::size_t kUncheckedShare = 4;  // of a worker's memory, for answers not checked yet
constexpr double kLeastDoubling = 1.6;      // twice the calls take so many times as long, or more
constexpr double kHiddenShare = 0.1;        // of a batch's time, spent after "finished" was said
// Counters and tables of an honest program are smaller, and a form of a graph worth keeping is
// larger.
constexpr std::uint64_t kRoom = 16 << 20;

/// The first number of rounds from `least` on after which the interval is looked at: ever rarer,
/// each time with half as many more.
std::size_t next_look(std::size_t least) {
  if (least <= kClearRounds) return kClearRounds;
  std::size_t look = kFewestRounds;
  while (look < least) look += look / 2;
  return look;
}

class Measurement {
 public:
  Measurement(const Bench& a_bench, Judge& a, const Bench& yardstick_bench, Judge& yardstick,
              std::size_t n, std::uint64_t seed)
      : a_(a), yardstick_(yardstick), seed_(seed) {
    const Spending spent(result_.spent.preparing);
    // They get ready while the inputs are made.
    workers_.start(a_bench.prepared_by_worker ? 0 : 1, kClearRounds);
    make_a_ = a_bench.prepare(a, n);
    if (&a_bench != &yardstick_bench || a_bench.prepared_by_worker)
      make_yardstick_ = yardstick_bench.prepare(yardstick, n);
    workers_.wait();
  }

  /// From here on nobody else may use the GPU.
  void take(Turn& turn) {
    Spending spent(result_.spent.waiting);
    turn.take();
    spent.go_on_with(result_.spent.sizing);
    choose_batch();
    const Batch batch = make_calls(calls_);
    overhead_ = overhead_of(batch.yardstick());
    if (half() > 0)
      half_overhead_ = overhead_of(batch.yardstick().first(half()));
  }

  /// One round in the order A B B A, the next one B A A B: what drifts over time, or comes from
  /// being the first after a pause, then favours neither. A does not see the same inputs twice.
  /// Both are new processes every now and then: the place of a process's code and memory changes
  /// a short kernel's time by up to 3 %, for as long as it lives.
  void round() {
    Spending spent(result_.spent.starting);
    if (is_time_to_renew()) workers_.renew(tried(), next_look(tried() + 1));
    const bool a_begins = tried() % 2 == 0;
    const bool doubles = doublings_.size() < kDoublings && half() > 0;
    spent.go_on_with(result_.spent.making);
    const Batch& first = made_.emplace_back(make_calls(1 + calls_));
    const Batch& second = made_.emplace_back(make_calls(1 + calls_));
    const Batch& part = made_.emplace_back(make_calls(doubles ? 1 + half() : 0));
    spent.go_on_with(result_.spent.starting);
    in_parallel(2, [&](std::size_t i) {
      both_[i]->send_shared((i == 0 ? first.a() : first.yardstick()).front().call);
      both_[i]->device();  // waits until it is ready
    });
    spent.go_on_with(result_.spent.timing);
    const GpuReading before = gpu_.read();
    const Pair pair = time_pair(first, a_begins), other = time_pair(second, !a_begins);
    if (doubles) {
      const double half_seconds = time_rest(a_, part.a()).judge_seconds - half_overhead_;
      doublings_.push_back(other.a.judge_seconds / std::max(half_seconds, 1e-9));
      if (part.a().front().answer) time_rest(yardstick_, part.yardstick());  // for the answers
    }
    const GpuReading after = gpu_.read();
    if (keep(before, after)) add(pair, other);
    const std::size_t unchecked = made_.size() * (1 + calls_) * call_bytes_;
    if (unchecked > a_.options().memory / kUncheckedShare) check();
  }

  /// Checks what has not been checked yet; `after` our turn, beside others.
  void check(const Turn* after = nullptr) {
    const Spending spent(result_.spent.checking);
    series_.check(after);
    made_.clear();
  }

  std::size_t tried() const { return ratios_.size() + result_.dropped; }

  Interval interval() const {
    const auto [low, high] = median_interval(ratios_, kError);
    return {std::exp(low), std::exp(high)};
  }

  /// Looks only now and then: who looks often enough sees what is not there.
  bool is_enough(const SpeedBar& bar) const {
    return next_look(kept()) == kept() && is_decided(bar, interval(), kept());
  }

  Comparison result(const SpeedBar& bar) {
    result_.calls = calls_;
    result_.rounds = kept();
    if (ratios_.empty()) return result_;
    result_.log_ratios = ratios_;
    result_.ratio = std::exp(median(ratios_));
    result_.interval = interval();
    result_.decided = is_decided(bar, result_.interval, kept());
    const auto [low, high] = median_interval(noise_, kError);
    result_.noise = (high - low) / 2;
    result_.seconds = median(a_seconds_);
    result_.yardstick_seconds = median(yardstick_seconds_);
    look_for_anomalies();
    return result_;
  }

 private:
  std::size_t kept() const { return ratios_.size(); }
  std::size_t half() const { return calls_ / 2; }

  /// Before the first round only if the workers keep what they have prepared: a search is timed
  /// with what its preparation handed over, and not with what it has kept for itself.
  bool is_time_to_renew() const {
    return FreshWorkers::begin(tried()) && (tried() > 0 || a_.shares() || yardstick_.shares());
  }

  Batch make_calls(std::size_t count) {
    Batch batch{make_batch(make_a_, count, seed_), {}};
    if (make_yardstick_) batch.for_yardstick = make_batch(make_yardstick_, count, seed_);
    seed_ += count;
    return batch;
  }

  /// So many calls that the faster side's batch is long enough; where calls share something, at
  /// least so many that no single source decides. What one more call costs is the difference
  /// between two batches: a request of its own costs more than a short call.
  void choose_batch() {
    call_bytes_ = bytes_of(make_a_(seed_).call);
    const std::size_t fitting = std::min(kLargestBatch, kBatchBytes / (call_bytes_ + 1) + 1);
    const std::size_t few = std::min<std::size_t>(fitting, 9);
    const auto seconds_for = [this](std::size_t calls) {
      const Batch& batch = made_.emplace_back(make_calls(calls));
      return std::minmax({seconds_of(a_, batch.a()), seconds_of(yardstick_, batch.yardstick())});
    };
    seconds_for(1);  // loads the kernels
    const auto one = seconds_for(1), many = few == 1 ? one : seconds_for(few);
    const auto each = [&](double first, double last) {
      return std::max(few == 1 ? first : (last - first) / (double(few) - 1), 1e-7);
    };
    const double faster = each(one.first, many.first), slower = each(one.second, many.second);
    const auto calls_in = [](double seconds, double call) {
      return std::size_t(seconds / call) + 1;
    };
    calls_ = calls_in(kBatchSeconds, faster);
    if (a_.shares()) calls_ = std::max(calls_, std::min(kSources, calls_in(kLongSeconds, slower)));
    calls_ = std::clamp<std::size_t>(calls_, 1, fitting);
    batch_seconds_ = one.first + faster * static_cast<double>(calls_ - 1);
  }

  /// What a batch costs without its calls. Only the yardstick's worker, whose code is the kit's, is
  /// asked: what a submission could make slow must not be taken off its time. Others may still be
  /// leaving the GPU, which makes a rehearsal slower and never faster.
  double overhead_of(std::span<const TimedCall> batch) {
    double shortest = rehearse(yardstick_, batch, random_key());
    for (std::size_t i = 1; i < kMoreRehearsals; ++i) {
      if (i >= kRehearsals && shortest < batch_seconds_ / 2) break;
      shortest = std::min(shortest, rehearse(yardstick_, batch, random_key()));
    }
    return shortest;
  }

  Pair time_pair(const Batch& batch, bool a_begins) {
    Pair pair;
    if (a_begins) pair.a = time_rest(a_, batch.a());
    pair.yardstick = time_rest(yardstick_, batch.yardstick());
    if (!a_begins) pair.a = time_rest(a_, batch.a());
    return pair;
  }

  /// The first call goes before, untimed: it loads a new process's kernels, and a batch finds the
  /// GPU's caches as its own process leaves them, whichever worker had its turn last. The overhead
  /// is taken off a whole batch's time.
  BatchTimes time_rest(Judge& worker, std::span<const TimedCall> calls) {
    const Whose whose = whose_is(worker);
    series_.run(worker, calls.first(1), {kWarm, random_key()}, whose);
    BatchTimes times = series_.run(worker, calls.subspan(1), {kWarm, random_key()}, whose);
    if (calls.size() == 1 + calls_)
      times.judge_seconds = std::max(times.judge_seconds - overhead_, 1e-9);
    return times;
  }

  /// The yardstick is the kit's own and has tests of its own: one batch shows that it works here.
  Whose whose_is(const Judge& worker) {
    if (&worker == &a_) return Whose::submission;
    return std::exchange(shown_, true) ? Whose::kit : Whose::kit_checked;
  }

  double seconds_of(Judge& worker, std::span<const TimedCall> batch) {
    return series_.run(worker, batch, {kWarm, random_key()}, whose_is(worker)).judge_seconds;
  }

  void add(const Pair& pair, const Pair& other) {
    const double a_seconds = pair.a.judge_seconds + other.a.judge_seconds;
    const double yardstick_seconds = pair.yardstick.judge_seconds + other.yardstick.judge_seconds;
    ratios_.push_back(std::log(a_seconds / yardstick_seconds));
    noise_.push_back((pair.log_ratio() - other.log_ratio()) / 2);
    a_seconds_.push_back(a_seconds / 2 / static_cast<double>(calls_));
    yardstick_seconds_.push_back(yardstick_seconds / 2 / static_cast<double>(calls_));
    hidden_.push_back((pair.later() + other.later()) / 2);
  }

  bool keep(const GpuReading& before, const GpuReading& after) {
    for (const GpuReading& reading : {before, after}) {
      if (reading.clock_mhz == 0) continue;
      const unsigned lowest = result_.lowest_clock_mhz;
      result_.lowest_clock_mhz = lowest ? std::min(lowest, reading.clock_mhz) : reading.clock_mhz;
      result_.highest_clock_mhz = std::max(result_.highest_clock_mhz, reading.clock_mhz);
    }
    const std::string why = after.slowed_by.empty() ? before.slowed_by : after.slowed_by;
    if (why.empty()) return true;
    ++result_.dropped;
    result_.dropped_why = why;
    return false;
  }

  /// None of these is a proof of anything; each is something that honest code does not show.
  void look_for_anomalies() {
    char text[256];
    if (!doublings_.empty() && median(doublings_) < kLeastDoubling) {
      std::snprintf(text, sizeof text,
                    "twice as many calls took only %.2f times as long", median(doublings_));
      result_.anomalies.push_back(text);
    }
    const double hidden = median_interval(hidden_, kError).low;
    result_.later_seconds = median(hidden_);
    if (hidden > kHiddenShare * result_.seconds * static_cast<double>(calls_)) {
      std::snprintf(text, sizeof text,
                    "after the work was said to be done, its output was %.3g us later than the "
                    "yardstick's",
                    hidden * 1e6);
      result_.anomalies.push_back(text);
    }
    if (a_.room() > kRoom) {
      std::snprintf(text, sizeof text,
                    "its device variables and its kernels' heap have room for %.3g MiB, in which "
                    "one timed call could leave its work for the next",
                    static_cast<double>(a_.room()) / (1 << 20));
      result_.anomalies.push_back(text);
    }
  }

  Judge& a_;
  Judge& yardstick_;
  Judge* const both_[2] = {&a_, &yardstick_};
  FreshWorkers workers_{a_, yardstick_};
  MakeCall make_a_, make_yardstick_;  // without the second, the yardstick gets the same calls
  std::uint64_t seed_;
  std::size_t calls_ = 0, call_bytes_ = 0;
  bool shown_ = false;  // that the yardstick works here
  double batch_seconds_ = 0, overhead_ = 0, half_overhead_ = 0;
  std::deque<Batch> made_;  // whose answers are not checked yet
  BatchSeries series_;      // these answers
  std::vector<double> ratios_, noise_, a_seconds_, yardstick_seconds_, hidden_, doublings_;
  GpuState gpu_;
  Comparison result_;
};

}  // namespace

std::uint64_t random_key() {
  static std::random_device device;
  return (std::uint64_t{device()} << 32 | device()) | 1;
}

Comparison compare(const Bench& a_bench, Judge& a, const Bench& yardstick_bench, Judge& yardstick,
                   std::size_t n, const SpeedBar& bar, std::uint64_t seed, Turn& turn) {
  Measurement measurement(a_bench, a, yardstick_bench, yardstick, n, seed);
  measurement.take(turn);
  const auto start = Clock::now();
  const auto spent = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  do {
    measurement.round();
    if (measurement.is_enough(bar)) break;
  } while (measurement.tried() < kMostRounds && spent() < bar.seconds);
  a.return_shared();
  yardstick.return_shared();
  turn.give_back();
  measurement.check(&turn);
  a.settle();
  return measurement.result(bar);
}

}  // namespace warpwise
