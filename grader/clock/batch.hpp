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

/// Whose output it is, and so what is done with it.
enum class Whose {
  submission,   // it is checked
  kit,          // it is right; equal ones of a submission are right, too
  kit_checked,  // the same, but checked itself: nothing has shown yet that it is right
};

/// Batches that are timed one right after the other, and checked when all of them have been: a GPU
/// that waits for the judge to check grows cold. The calls have to stay until check().
class BatchSeries {
 public:
  /// Throws StageFailure when a call fails.
  BatchTimes run(Judge& worker, std::span<const TimedCall> batch, BatchManner manner,
                 Whose whose = Whose::submission);

  /// Checks every output, on all cores. Throws StageFailure when one is wrong. With `after`, while
  /// nobody times: see Turn. To prove that distances in a graph of 2^20 vertices are right takes
  /// 0.2 s, and a comparison has 200 such answers; to see that they are those of the kit takes 2
  /// ms.
  void check(const Turn* after = nullptr);

 private:
  struct Answer {
    const TimedCall* call;
    Reply reply;
    bool checked = true;
  };

  static bool is_same_answer(const Answer& one, const Answer& other);

  std::vector<Answer> unknown_, known_;
};

/// Runs one batch on a worker and checks it. Throws StageFailure.
BatchTimes run_batch(Judge& worker, std::span<const TimedCall> batch, BatchManner manner);

/// Everything that a sealed batch takes but its calls, in seconds.
double rehearse(Judge& worker, std::span<const TimedCall> batch, std::uint64_t key);

}  // namespace warpwise
