// How long the judge waits for a reply. A busy machine must not decide about a program: the time in
// which it was ready to run, but other programs had the processors, is not its own.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <optional>
#include <string>

#include "frame.hpp"

namespace warpwise {

/// What Linux counts of a process's main thread; zeros where it does not, or the process has ended.
struct Schedule {
  std::chrono::nanoseconds ran{}, waited{};  // so far; a wait for a processor counts when it ends
  bool is_ready = false;                     // it runs, or waits for a processor
};

inline Schedule schedule_of(pid_t process) {
  const std::string folder = "/proc/" + std::to_string(process);
  std::int64_t ran = 0, waited = 0;
  std::ifstream(folder + "/schedstat") >> ran >> waited;
  std::string status;  // 4711 (any name) R ...
  std::getline(std::ifstream(folder + "/stat"), status);
  const bool is_ready = status.find(") R ") != status.npos;
  return {std::chrono::nanoseconds(ran), std::chrono::nanoseconds(waited), is_ready};
}

class Patience {
 public:
  using Clock = std::chrono::steady_clock;

  /// `program` is asked only when a call takes long.
  Patience(double seconds, std::function<pid_t()> program)
      : limit_(std::chrono::round<Clock::duration>(std::chrono::duration<double>(seconds))),
        end_(begin_ + limit_),
        program_(std::move(program)) {}

  Deadline end() const { return end_; }

  /// Nearly all replies come before the first look, and cost nothing.
  Deadline next_look() const { return first_ ? end_ : begin_ + limit_ / kLooks; }

  /// At a look: is there more time? A program's own threads may take each other's processors, so
  /// there is a last moment.
  bool lasts() {
    const Schedule seen = schedule_of(program_());
    if (!first_) return first_.emplace(seen), true;
    const auto now = Clock::now(), last = begin_ + (1 + kMost) * limit_;
    const auto due = begin_ + limit_ + (seen.waited - first_->waited);
    if (due > now + kNothing) {
      end_ = std::min(due, last);
      ran_.reset();
    } else if (seen.is_ready && ran_.value_or(seen.ran) == seen.ran) {
      end_ = std::min(now + kPause, last);  // it may wait for a processor just now
      ran_ = seen.ran;
    } else {
      return false;
    }
    return now < last;
  }

 private:
  static constexpr int kLooks = 8;  // the first look is after this part of the limit
  static constexpr int kMost = 9;   // more than nine times the limit is never added
  static constexpr std::chrono::milliseconds kNothing{1};
  static constexpr std::chrono::milliseconds kPause{50};  // long against a tick of the scheduler

  Clock::time_point begin_ = Clock::now();
  Clock::duration limit_;
  Clock::time_point end_;
  std::optional<Schedule> first_;
  std::optional<std::chrono::nanoseconds> ran_;  // at the last look, if nothing else was new there
  std::function<pid_t()> program_;
};

/// Waits until a reply begins.
inline Transfer wait_for_reply(int channel, Patience& patience, Awake awake) {
  Transfer transfer = wait_for(channel, POLLIN, patience.next_look(), awake);
  while (transfer == Transfer::late && patience.lasts())
    transfer = wait_for(channel, POLLIN, patience.next_look(), kAsleep);
  return transfer;
}

}  // namespace warpwise
