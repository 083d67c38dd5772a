// Two workers against each other: how a submission's time over the yardstick's becomes a ratio that
// can be trusted. The clock is the judge's, every timed call is a checked call on fresh input that
// arrived sealed, and the yardstick's worker runs code of the kit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench.hpp"
#include "speed_bar.hpp"
#include "statistics.hpp"
#include "turn.hpp"

namespace warpwise {

/// What the inputs of timed calls are sealed with. Never 0, which means: not sealed.
std::uint64_t random_key();

/// Where the time of a comparison went, in seconds.
struct Spent {
  double preparing = 0;  // workers, and what calls share
  double waiting = 0;    // for the turn
  double sizing = 0;     // the number of calls, the overhead of a batch
  double starting = 0;   // workers of a round, as far as they were waited for
  double making = 0;     // inputs, and their right answers
  double timing = 0;     // batches, with lending their buffers and taking them over
  double checking = 0;   // outputs
};

struct Comparison {
  double ratio = 0;            // median of A's time over the yardstick's
  Interval interval{};         // its 99 % bootstrap interval
  bool decided = false;
  double later_seconds = 0;    // by which a batch's output came after the yardstick's: the median
  double noise = 0;            // half-width of the same interval of what a round's halves differ by
  double seconds = 0;          // A's median time per call
  double yardstick_seconds = 0;
  std::size_t calls = 0;       // calls in a batch
  std::size_t rounds = 0;      // A B B A or B A A B
  std::size_t dropped = 0;     // rounds that were left out, and why
  std::string dropped_why;
  unsigned lowest_clock_mhz = 0, highest_clock_mhz = 0;  // 0: not known
  std::vector<double> log_ratios;  // of submission to yardstick, one per round, in their order
  std::vector<std::string> anomalies;  // what a person should look at
  Spent spent;
};

/// Measures until the interval is decided or the time is up: only the timing needs the turn, not
/// what goes before it and not the check of the answers. Throws StageFailure when a timed call is
/// wrong.
Comparison compare(const Bench& a_bench, Judge& a, const Bench& yardstick_bench, Judge& yardstick,
                   std::size_t n, const SpeedBar& bar, std::uint64_t seed, Turn& turn);

}  // namespace warpwise
