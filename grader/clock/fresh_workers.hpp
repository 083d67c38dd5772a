// New workers on both sides while a comparison goes on. On a GPU each takes a quarter of a second
// to begin, in which the driver begins no other. So they begin before they are needed, and of the
// first rounds, which nearly every comparison ends with, two have one pair.
#pragma once

#include <array>
#include <cstddef>

#include "judge.hpp"
#include "parallel.hpp"
#include "speed_bar.hpp"

namespace warpwise {

/// The thread that uses it must live as long as the workers: they are killed when it ends.
class FreshWorkers {
 public:
  FreshWorkers(Judge& a, Judge& yardstick) : both_{&a, &yardstick} {}

  /// Whether a round begins with new workers.
  static bool begin(std::size_t round) { return round >= kClearRounds || round % 2 == 0; }

  /// Starts a pair for each round from `first` up to `end`, without it, that begins with new
  /// workers; fewer if memory is small.
  void start(std::size_t first, std::size_t end) {
    // bytes that a worker has before a call
    constexpr std::size_t kWaiting = std::size_t{768} << 20;
    const std::size_t fitting = both_[0]->options().memory / 2 / kWaiting;
    for (std::size_t round = first; round < end && pairs_ + 1 < fitting; ++round) {
      if (!begin(round)) continue;
      for (const std::size_t side : in_order(round)) both_[side]->start_spare();
      ++pairs_;
    }
  }

  void wait() {
    for (Judge* const side : both_) side->wait_for_workers();
  }

  /// The pair of this round takes the place of the last one. If it must be started, so are those up
  /// to round `end`, and all are waited for: what still begins would disturb what is timed.
  void renew(std::size_t round, std::size_t end) {
    in_parallel(2, [this](std::size_t i) { both_[i]->let_go(); });
    const bool are_used_up = pairs_ == 0;
    if (are_used_up) start(round, end);
    for (const std::size_t side : in_order(round)) both_[side]->restart();
    if (pairs_ > 0) --pairs_;
    if (are_used_up) wait();
  }

 private:
  /// Which worker takes its memory first may matter: two rounds this one, two that one, so that
  /// each begins a round after either.
  static std::array<std::size_t, 2> in_order(std::size_t round) {
    const std::size_t first = round / 2 % 2;
    return {first, 1 - first};
  }

  std::array<Judge*, 2> both_;
  std::size_t pairs_ = 0;  // that were started and wait
};

}  // namespace warpwise
