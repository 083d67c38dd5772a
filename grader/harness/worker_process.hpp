// The judge's handle on a worker: starts it with limits, asks it with a time limit, and says in one
// sentence how it died. The worker is never trusted: replies are bounded, its output is only
// quoted.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>

#include "message.hpp"
#include "verdict.hpp"

namespace warpwise {

struct WorkerOptions {
  std::string program;            // path of the worker's executable
  std::string order = "forward";  // thread order on the CPU backend: forward, reverse, random
  std::uint64_t seed = 1;         // of the random order
  double seconds = 10;            // wall clock for one request
};

class WorkerProcess {
 public:
  explicit WorkerProcess(const WorkerOptions& options);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Sends one request and waits for its reply of at most `largest_reply` bytes. Throws
  /// StageFailure `crashed` or `timed out`; the worker is dead then, and so is this object's use.
  Bytes ask(std::span<const std::byte> request, std::uint64_t largest_reply);

 private:
  [[noreturn]] void become_worker(int channel, const WorkerOptions& options) const;
  bool wait_for_reply(double seconds) const;
  [[noreturn]] void report_death();
  [[noreturn]] void report_timeout();
  std::string reap(int grace_milliseconds);
  std::string last_words() const;

  std::string program_;
  double seconds_;
  pid_t pid_ = -1;
  int channel_ = -1;
  int log_ = -1;  // an unnamed file that holds what the worker wrote to stdout and stderr
};

}  // namespace warpwise
