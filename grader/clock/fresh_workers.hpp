// New workers on both sides for every round of a comparison. On a GPU each takes a quarter of a second
// to begin, so several begin beside each other, before they are needed.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "judge.hpp"
#include "parallel.hpp"

namespace warpwise {

/// The thread that uses it must live as long as the workers: they are killed when it ends.
class FreshWorkers {
 public:
  FreshWorkers(Judge& a, Judge& yardstick) : both_{&a, &yardstick} {}

  /// Starts a pair for each round from `first` up to `end`, without it; fewer if memory is small.
  void start(std::size_t first, std::size_t end) {
    constexpr std::size_t kWaiting = std::size_t{768} << 20;  // bytes that a worker has before a call
    const std::size_t pairs = both_[0]->options().memory / 2 / kWaiting;
    end = std::min(end, first + std::max<std::size_t>(pairs, 1) - 1);
    for (std::size_t round = first; round < end; ++round)
      for (const std::size_t side : in_order(round)) both_[side]->start_spare();
    pairs_ = end - first;
  }

  void wait() {
    for (Judge* const side : both_) side->wait_for_workers();
  }

  /// The pair of this round takes the place of the last one. If it must be started, so are those up to
  /// round `end`, and all are waited for: what still begins would disturb what is timed.
  void renew(std::size_t round, std::size_t end) {
    in_parallel(2, [this](std::size_t i) { both_[i]->let_go(); });
    const bool are_used_up = pairs_ == 0;
    if (are_used_up) start(round, end);
    for (const std::size_t side : in_order(round)) both_[side]->restart();
    if (pairs_ > 0) --pairs_;
    if (are_used_up) wait();
  }

 private:
  /// Which worker takes its memory first may matter: two rounds this one, two that one, so that each
  /// begins a round after either.
  static std::array<std::size_t, 2> in_order(std::size_t round) {
    const std::size_t first = round / 2 % 2;
    return {first, 1 - first};
  }

  std::array<Judge*, 2> both_;
  std::size_t pairs_ = 0;  // that were started and wait
};

}  // namespace warpwise
