// How long the judge waits for a reply. A busy machine must not decide about a program: the time in
// which it was ready to run, but other programs had the processors, is not its own.
#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <utility>

#include "descriptor.hpp"
#include "frame.hpp"

namespace warpwise {

/// What Linux counts of the main thread of a program, which may not have begun yet.
class Schedule {
 public:
  struct Counted {
    std::chrono::nanoseconds ran{}, waited{};  // so far; a wait for a processor counts when it ends
  };

  explicit Schedule(std::function<pid_t()> program) : program_(std::move(program)) {}

  /// Zeros before the program has begun, and where nothing is counted. Takes 2 us.
  Counted counted() {
    if (!file_) file_ = Descriptor(open(path("schedstat").c_str(), O_RDONLY | O_CLOEXEC));
    char text[64] = {};
    long long ran = 0, waited = 0;
    if (file_ && pread(file_.get(), text, sizeof text - 1, 0) > 0)
      std::sscanf(text, "%lld %lld", &ran, &waited);
    return {std::chrono::nanoseconds(ran), std::chrono::nanoseconds(waited)};
  }

  /// Does it run, or wait for a processor?
  bool is_ready() const {
    std::ifstream file(path("stat"));
    std::string status;  // 4711 (any name) R ...
    return std::getline(file, status) && status.find(") R ") != status.npos;
  }

 private:
  std::string path(const char* name) const {
    return "/proc/" + std::to_string(program_()) + "/" + name;
  }

  std::function<pid_t()> program_;
  Descriptor file_;
};

/// The time limit of one call, which begins now.
class TimeLimit {
 public:
  using Clock = std::chrono::steady_clock;

  TimeLimit(double seconds, Schedule& schedule)
      : schedule_(schedule),
        before_(schedule.counted().waited),
        limit_(std::chrono::round<Clock::duration>(std::chrono::duration<double>(seconds))),
        end_(begin_ + limit_) {}

  Deadline end() const { return end_; }

  /// At the end: is there more time? A program's own threads may take each other's processors, so
  /// there is a last moment.
  bool lasts() {
    const Schedule::Counted seen = schedule_.counted();
    const auto now = Clock::now(), last = begin_ + (1 + kMost) * limit_;
    const auto due = begin_ + limit_ + (seen.waited - before_);
    if (due > now + kNothing) {
      end_ = std::min(due, last);
      ran_ = kUnknown;
    } else if ((ran_ == kUnknown || ran_ == seen.ran) && schedule_.is_ready()) {
      end_ = std::min(now + kPause, last);  // it may wait for a processor just now
      ran_ = seen.ran;
    } else {
      return false;
    }
    return now < last;
  }

 private:
  static constexpr int kMost = 9;  // more than nine times the limit is never added
  static constexpr std::chrono::nanoseconds kUnknown{-1};
  static constexpr std::chrono::milliseconds kNothing{1};
  static constexpr std::chrono::milliseconds kPause{50};  // long against a tick of the scheduler

  Schedule& schedule_;
  std::chrono::nanoseconds before_;
  Clock::time_point begin_ = Clock::now();
  Clock::duration limit_;
  Clock::time_point end_;
  std::chrono::nanoseconds ran_ = kUnknown;  // at the last look, if nothing else was new there
};

/// Waits until a reply begins.
inline Transfer wait_for_reply(int channel, TimeLimit& limit, Awake awake) {
  Transfer transfer = wait_for(channel, POLLIN, limit.end(), awake);
  while (transfer == Transfer::late && limit.lasts())
    transfer = wait_for(channel, POLLIN, limit.end(), kAsleep);
  return transfer;
}

}  // namespace warpwise
