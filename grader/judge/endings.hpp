// Calls that a test makes in part, because the whole takes too long: one that does not end may be
// slow here, or wait for what the part leaves out. Then it says nothing. But a program that is
// endless from some size on has ended at once at a smaller one.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>

#include "judge.hpp"

namespace warpwise {

constexpr double kEndless = std::numeric_limits<double>::infinity();

/// How long a call takes; kEndless if it has not ended after `limit` seconds; nothing if it fails.
inline std::optional<double> seconds_of_part(const PreparedCall& call, double limit) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const bool ended = judge().call_in_part(call, limit).has_value();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (ended) return seconds;
  return seconds >= limit ? std::optional(kEndless) : std::nullopt;
}

/// Fails if a call does not end where one with half as many elements does: the work of all that is
/// tried in part grows with the square at most. `part(size)` and `whole(size)` are the calls with
/// so many elements; part(n) did not end. If part(n / 2) does not end either, it may wait for what
/// is left out: then whole calls tell.
template <typename Part, typename Whole>
void require_an_end(const Part& part, const Whole& whole, std::size_t n) {
  // twice a square, if the machine is busy
  constexpr double kPatience = 1.5, kEnough = 6, kGrowth = 8;
  constexpr std::size_t kFew = 1000;
  bool is_whole = false;
  const auto made = [&](std::size_t size) { return is_whole ? whole(size) : part(size); };
  for (std::size_t size = n / 2; size > kFew; size /= 2, is_whole = true) {
    std::optional<double> seconds = seconds_of_part(made(size), kPatience);
    if (seconds && *seconds < kPatience)  // once more, because a new worker had to begin
      seconds = seconds_of_part(made(size), kPatience);
    if (!seconds) return;
    if (*seconds >= kPatience) continue;
    const PreparedCall twice = is_whole ? whole(2 * size) : part(n);
    const double enough =
        std::min(judge().options().seconds, std::max(kEnough, kGrowth * *seconds));
    if (seconds_of_part(twice, enough) != kEndless) return;
    fail(Verdict::timed_out, twice.description +
                                 ": the call did not end, with half as many elements it "
                                 "ends at once");
  }
}

}  // namespace warpwise
