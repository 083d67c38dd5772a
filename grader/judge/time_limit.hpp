// How long the judge waits for a reply. A busy machine must not decide about a program: the time in
// which it was ready to run, but other programs had the processors, is not its own.
#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <system_error>
#include <thread>
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
  bool is_ready() const { return state_in(path("stat")) == 'R'; }

  /// Does none of its threads run, or wait for a processor or a disk? False if there is none.
  bool sleeps() const {
    std::error_code gone;
    bool any = false;
    for (const auto& thread : std::filesystem::directory_iterator(path("task"), gone)) {
      const char state = state_in(thread.path() / "stat");
      if (state == 'R' || state == 'D') return false;
      any = any || state;
    }
    return any;
  }

 private:
  std::string path(const char* name) const {
    return "/proc/" + std::to_string(program_()) + "/" + name;
  }

  /// 0 if there is no such file.
  static char state_in(const std::filesystem::path& stat) {
    std::ifstream file(stat);
    std::string status;  // 4711 (any name) R ...
    std::getline(file, status);
    const std::size_t name_ends = status.rfind(") ");
    return name_ends == status.npos ? 0 : status[name_ends + 2];
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
        before_(schedule.counted()),
        limit_(std::chrono::round<Clock::duration>(std::chrono::duration<double>(seconds))),
        end_(begin_ + limit_) {}

  Deadline end() const { return end_; }

  /// At the end: is there more time? A program's own threads may take each other's processors, so
  /// there is a last moment.
  bool lasts() {
    const Schedule::Counted seen = schedule_.counted();
    const auto now = Clock::now(), last = begin_ + (1 + kMost) * limit_;
    const auto due = begin_ + limit_ + (seen.waited - before_.waited);
    const auto left = limit_ - (seen.ran - before_.ran);
    if (due > now + kNothing) {
      end_ = std::min(due, last);
    } else if (left > kNone && schedule_.is_ready()) {
      // It may wait for a processor just now, or have begun late.
      end_ = std::min(now + std::max<Clock::duration>(left, kNothing), last);
    } else {
      return false;
    }
    return now < last;
  }

  /// After the end: did it get all the time that it may take? It did if its main thread ran for so
  /// long, or if nothing of it wants a processor or a disk. Otherwise a busy machine may have held
  /// it up: where helpers of the main thread wait, that time is not known.
  bool was_given() {
    if (limit_ - (schedule_.counted().ran - before_.ran) <= kNone) return true;
    for (int again = 0; again < kLooks; ++again) {
      if (!schedule_.sleeps()) return false;
      std::this_thread::sleep_for(kPause);
    }
    return true;
  }

 private:
  static constexpr int kMost = 19;  // so many times the limit may be added
  static constexpr int kLooks = 5;
  static constexpr std::chrono::nanoseconds kNone{0};
  static constexpr std::chrono::milliseconds kNothing{1};
  static constexpr std::chrono::milliseconds kPause{50};  // long against a tick of the scheduler

  Schedule& schedule_;
  Schedule::Counted before_;
  Clock::time_point begin_ = Clock::now();
  Clock::duration limit_;
  Clock::time_point end_;
};

/// Waits until a reply begins.
inline Transfer wait_for_reply(int channel, TimeLimit& limit, Awake awake) {
  Transfer transfer = wait_for(channel, POLLIN, limit.end(), awake);
  while (transfer == Transfer::late && limit.lasts())
    transfer = wait_for(channel, POLLIN, limit.end(), kAsleep);
  return transfer;
}

}  // namespace warpwise
