// Calls that a test makes in part, because the whole takes too long: one that does not end may be slow here,
// or wait for what the part leaves out. Then it says nothing. But a program that is endless from some size
// on has ended at once at a smaller one.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>

#include "judge.hpp"

namespace warpwise {

/// How long a call takes, at most `limit`; nothing if it fails.
inline std::optional<double> seconds_of_part(const PreparedCall& call, double limit) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const bool ended = judge().call_in_part(call, limit).has_value();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return ended || seconds >= limit ? std::optional(std::min(seconds, limit)) : std::nullopt;
}

/// Fails if a call does not end where one with half as many elements ends at once: the work of all that is
/// tried in part grows with the square at most. `prepared(size)` is the call with so many elements, and
/// that with n did not end.
template <typename Prepared>
void require_an_end(const Prepared& prepared, std::size_t n) {
  constexpr double kMoment = 0.2, kEnough = 30 * kMoment, kPatience = 1.5;
  constexpr std::size_t kFew = 1000;
  for (std::size_t size = n / 2; size > kFew; size /= 2) {
    std::optional<double> seconds = seconds_of_part(prepared(size), kPatience);
    if (seconds && *seconds < kPatience)  // once more, because a new worker had to begin
      seconds = seconds_of_part(prepared(size), kPatience);
    if (!seconds) return;
    if (*seconds >= kMoment) continue;  // the machine may have been busy: a smaller one shows it, too
    const PreparedCall twice = prepared(2 * size);
    if (seconds_of_part(twice, kEnough).value_or(0) < kEnough) return;
    fail(Verdict::timed_out, twice.description + ": the call did not end, with half as many elements it "
                             "ends at once");
  }
}

}  // namespace warpwise
