// What can go wrong with a file, as one sentence that says where it is and what to do.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace datasets {

/// The file's or the user's fault: a malformed file, an unknown suffix. Exit code 2.
class InputError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The machine's fault: a full disk, a read that fails, a missing library. Exit code 3.
class MachineError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A place in a text file; line 0 is the file as a whole.
struct Place {
  std::string file;
  std::int64_t line = 0;

  [[noreturn]] void refuse(const std::string& reason) const {
    throw InputError(file + (line > 0 ? ":" + std::to_string(line) : "") + ": " + reason);
  }
};

}  // namespace datasets
