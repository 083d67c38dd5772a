// The judge's handle on a worker: asks it with a time limit, buries it, and says in one sentence
// how it died. The worker is never trusted: replies are bounded in size and time, its output is
// only quoted.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>

#include "frame.hpp"
#include "launcher_status.hpp"
#include "message.hpp"
#include "time_limit.hpp"
#include "verdict.hpp"
#include "worker_start.hpp"

namespace warpwise {

class WorkerProcess {
 public:
  explicit WorkerProcess(const WorkerOptions& options);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Sends one request and waits for the whole of its reply, which has at most `largest_reply`
  /// bytes. It may take `seconds`, without the time in which the program waits for a processor.
  /// Throws StageFailure: `crashed`, `timed out`, or `infrastructure error` where not even the
  /// launcher came up. The worker is dead then, and so is this object's use. A descriptor `lent`
  /// goes along with the request. For the time `awake` the judge does not sleep.
  Bytes ask(std::span<const std::byte> request, std::uint64_t largest_reply, double seconds,
            int lent = -1, Awake awake = kAsleep);

  /// From here on, what the program prints belongs to the next call.
  void begin_output();
  /// What it has printed since, indented, at most a few lines; "" if nothing.
  std::string output() const;

  /// Tells the worker to go. It is waited for when this object ends.
  void dismiss() { channel_.reset(); }

  /// Did somebody end the worker by SIGKILL, when this object had not? The submission itself may
  /// have done so, or the kernel when memory ran out.
  bool was_killed() const { return was_killed_; }

  /// Of a request that timed out: did the program get all of the time? A busy machine may give it
  /// less.
  bool had_its_time() const { return had_its_time_; }

 private:
  pid_t program();
  void require(Transfer transfer, TimeLimit& limit, double seconds);
  [[noreturn]] void report_death();
  [[noreturn]] void report_timeout(double seconds);
  std::string reap(int grace_milliseconds);
  std::string cause_of_death(int status) const;
  std::string last_words() const;
  std::string log_between(off_t first, off_t end) const;

  pid_t pid_;
  Descriptor channel_;
  Descriptor log_;
  std::string own_line_;  // how the lines of the CPU backend begin there
  LauncherStatus launcher_;
  bool has_launcher_;
  Schedule schedule_{[this] { return program(); }};
  bool was_killed_ = false;
  bool had_its_time_ = false;
  off_t output_begin_ = 0;  // in the log
};

}  // namespace warpwise
