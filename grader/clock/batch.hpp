// Batches of timed calls, as the figures (bench.cpp) and the comparison make them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bench.hpp"
#include "turn.hpp"

namespace warpwise {

/// The bytes that travel with a call; what it shares with others is not counted.
std::size_t bytes_of(const PreparedCall& call);

/// `count` calls on inputs of their own, from the seeds `seed`, `seed + 1`, ...; made on all cores.
std::vector<TimedCall> make_batch(const MakeCall& make, std::size_t count, std::uint64_t seed);

/// Batches that are timed one right after the other, and checked when all of them have been: a GPU
/// that waits for the judge to check grows cold. The calls have to stay until check().
class BatchSeries {
 public:
  /// Throws StageFailure when a call fails. Without `checked` its output is not looked at.
  BatchTimes run(Judge& worker, std::span<const TimedCall> batch, BatchManner manner,
                 bool checked = true);

  /// Checks every output, on all cores. Throws StageFailure when one is wrong. With `after`, while
  /// nobody times: see Turn.
  void check(const Turn* after = nullptr);

 private:
  std::vector<std::pair<const TimedCall*, Reply>> answers_;
};

/// Runs one batch on a worker and checks it. Throws StageFailure.
BatchTimes run_batch(Judge& worker, std::span<const TimedCall> batch, BatchManner manner);

/// Everything that a sealed batch takes but its calls, in seconds.
double rehearse(Judge& worker, std::span<const TimedCall> batch, std::uint64_t key);

}  // namespace warpwise
