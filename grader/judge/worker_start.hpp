// Starting a worker: what it inherits, what it may use, and in which sandbox it runs.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "descriptor.hpp"

namespace warpwise {

struct WorkerOptions {
  std::string program;                // path of the worker's executable
  std::string order = "forward";      // thread order on the CPU backend: forward, reverse, random
  std::uint64_t seed = 1;             // of the inputs; kept from the worker
  double seconds = 10;                // wall clock for one request
  double budget = 240;                // wall clock for all requests together
  std::uint64_t memory = std::uint64_t{12} << 30;  // bytes of private writable memory
  // Two workers that are timed in turns stay on one processor: which of them got the better one,
  // for as long as it lives, made 2 % of the time of a search with many launches. -1: any.
  int processor = -1;
  std::string turns;  // a file: calls are made while its lock is held; "": at once
  bool timed = true;  // it may keep a processor busy while it waits for the device
  // The command that starts the program inside a sandbox: it finds the program open at
  // kProgramDescriptor and tells about itself, as bubblewrap's --json-status-fd does, at
  // kStatusDescriptor. Empty: the program is started as it is.
  std::vector<std::string> launcher;
};

// Of one file, and of all that a worker prints: a disk must not fill.
inline constexpr std::uint64_t kFileBytes = 64 << 20;
inline constexpr int kProgramDescriptor = 4;
inline constexpr int kStatusDescriptor = 5;

/// A worker that was started; how far it came shows at the first request.
struct StartedWorker {
  pid_t pid = -1;
  Descriptor channel;  // the judge's end of the socket
  Descriptor log;      // an unnamed file that holds what the worker wrote to stdout and stderr
  Descriptor status;   // what the launcher has to say
  std::string mark;    // in the lines of the kit's own in that file; the program does not know it
};

/// Starts the program with its limits. Throws StageFailure `infrastructure error`.
StartedWorker start_worker(const WorkerOptions& options);

}  // namespace warpwise
