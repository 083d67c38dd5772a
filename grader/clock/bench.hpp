// What a lab's bench.cpp is written against. It says what is timed, nothing about how:
//
//     TimedCall time_global(std::size_t n, std::uint64_t seed) {
//       return {prepare(ENTRY(...), ...), [](const Reply& reply) { require...; },
//               [] { serial... }};
//     }
//     Work work_of(std::size_t n) { return {8.0 * n, 1.0 * n * n, WorkUnit::compares}; }
//     const BenchRegistration global{"global", "keys", "serial rank sort, one CPU core",
//                                    {.cpu = {256, 1024}, .gpu = {1024, 65536}}, time_global,
//                                    work_of};
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "judge.hpp"
#include "work.hpp"

namespace warpwise {

/// One call to be timed on fresh input: how to check what came back, and the yardstick to beat.
struct TimedCall {
  PreparedCall call;
  std::function<void(const Reply&)> verify;
  std::function<void()> baseline;  // on one CPU core; none where the bench names none
  /// Writes what all right replies have in common to the byte, whoever made them. To be given where
  /// this takes much less time than `verify`.
  std::function<void(const Reply&, Bytes& answer)> answer = nullptr;
  std::uint64_t seed = 0;  // calls of one seed have one answer
};

/// The sizes to measure at: a CPU backend is slower than a GPU by a factor of a thousand or more.
struct BenchSizes {
  std::vector<std::size_t> cpu;
  std::vector<std::size_t> gpu;
};

/// Makes a call on fresh input; may be called from several threads at once.
using MakeCall = std::function<TimedCall(std::uint64_t seed)>;

struct Bench {
  std::string stage;
  std::string unit;      // what n counts: "keys"
  std::string baseline;  // what the speedup is over, for the figure; "" if there is no speedup.
                         // Stages that name the same baseline share its seconds at a size
  BenchSizes sizes;
  /// What is to be done once per size: makes what calls share, by calls of its own if need be, on
  /// the worker that will be timed.
  std::function<MakeCall(Judge& worker, std::size_t n)> prepare;
  bool prepared_by_worker = false;  // then another worker's calls have other inputs
  WorkModel work;  // what a call of size n asks for at least
};

inline std::vector<Bench>& bench_table() {
  static std::vector<Bench> table;
  return table;
}

/// Takes make(n, seed), or, where calls share something, prepare(worker, n). `./lab dev check`
/// refuses a lab that leaves the work out.
struct BenchRegistration {
  template <typename Make>
  BenchRegistration(std::string stage, std::string unit, std::string baseline, BenchSizes sizes,
                    Make make, WorkModel work = nullptr) {
    constexpr bool kPrepares = std::is_invocable_v<Make, Judge&, std::size_t>;
    const auto prepare = [make](Judge& worker, std::size_t n) -> MakeCall {
      if constexpr (kPrepares)
        return make(worker, n);
      else
        return [make, n](std::uint64_t seed) { return make(n, seed); };
    };
    bench_table().push_back({std::move(stage), std::move(unit), std::move(baseline),
                             std::move(sizes), prepare, kPrepares, std::move(work)});
  }
};

/// The measurements at one size; seconds per call, one entry per repetition.
struct BenchPoint {
  std::size_t n = 0;
  std::vector<double> seconds;
  std::vector<double> baseline_seconds;
};

/// Times the stage at every size. On the CPU backend by the judge's clock; on a GPU by CUDA events
/// with a cold L2 cache, since single calls of microseconds are below what a socket can show.
/// Where a size's baseline is not wanted, that part of its point stays empty.
std::vector<BenchPoint> run_bench(const Bench& bench, bool gpu, std::uint64_t seed,
                                  const std::function<bool(std::size_t n)>& wants_baseline);

}  // namespace warpwise
