// Whose call may run now. Programs that share a GPU take turns in slices of time, and each turn
// costs as much as a hundred short launches: three searches of a thousand launches each took 10 s
// beside each other on an H100, and 1.3 s one after the other. So a call has the GPU to itself,
// while other judges start their workers, write inputs and check answers. As there is one at a
// time, its worker may look again and again whether the device has finished: 70,000 rounds of a
// search took 2.0 s on an H200, and 4.3 s if the worker slept meanwhile.
#pragma once

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "descriptor.hpp"
#include "verdict.hpp"

namespace warpwise {

/// Holds the lock of a file from construction to destruction. Waits for it for as long as it takes:
/// a call's time begins afterwards. Without a file, every call may run at once.
class CallTurn {
 public:
  explicit CallTurn(const std::string& file) {
    if (file.empty()) return;
    lock_ = Descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC));
    int failed = -1;
    while (lock_ && (failed = flock(lock_.get(), LOCK_EX)) != 0 && errno == EINTR) {
    }
    if (failed)
      throw StageFailure(Verdict::infrastructure_error,
                         "cannot lock " + file + ": " + std::strerror(errno));
  }

 private:
  Descriptor lock_;
};

}  // namespace warpwise
