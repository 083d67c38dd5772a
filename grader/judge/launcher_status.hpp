// What bubblewrap says about a sandbox on its --json-status-fd, one JSON document a line:
//
//     { "child-pid": 4711, ... }     the sandbox's first process, once it exists
//     { "exit-code": 0 }             at the end, and only if the program was really started
#pragma once

#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "descriptor.hpp"

namespace warpwise {

class LauncherStatus {
 public:
  explicit LauncherStatus(Descriptor pipe) : pipe_(std::move(pipe)) {}

  /// Was the program inside started? Known only when the launcher has ended.
  bool program_started() {
    read_what_is_there();
    return text_.find("\"exit-code\"") != std::string::npos;
  }

  /// Kills the sandbox's first process, and with it everything inside; the launcher then ends by
  /// itself when all of it is gone. False when there is no such process.
  bool kill_all() { return first_process() > 0 && kill(first_process(), SIGKILL) == 0; }

  /// The program inside: the only child of the sandbox's first process; 0 when there is none.
  pid_t program() {
    const std::string first = std::to_string(first_process());
    std::ifstream children("/proc/" + first + "/task/" + first + "/children");
    pid_t child = 0;
    children >> child;
    return child;
  }

 private:
  pid_t first_process() {
    constexpr const char kKey[] = "\"child-pid\":";
    read_what_is_there();
    const std::size_t at = text_.find(kKey);
    return at == std::string::npos ? 0 : std::atoi(text_.c_str() + at + sizeof kKey - 1);
  }

  void read_what_is_there() {
    char piece[512];
    ssize_t got = 0;
    while ((got = read(pipe_.get(), piece, sizeof piece)) > 0)
      text_.append(piece, static_cast<std::size_t>(got));
  }

  Descriptor pipe_;
  std::string text_;
};

}  // namespace warpwise
