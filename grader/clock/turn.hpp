// Whose turn it is on a GPU. A comparison gets ready beside others, and is alone while it times: it
// says over a socket when it is ready, is answered when all others have left the GPU, and says when
// it has finished.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "descriptor.hpp"
#include "verdict.hpp"

namespace warpwise {

class Turn {
 public:
  /// `channel` leads to who gives the turns; -1: it is always our turn. `checks` are two files,
  /// door and room: whoever times has closed both.
  Turn(int channel, std::vector<std::string> checks)
      : channel_(channel), checks_(std::move(checks)) {}

  /// Waits for as long as it takes. Throws StageFailure when nobody gives turns any more.
  void take() {
    char answer = 0;
    if (channel_ && (!say('r') || recv(channel_.get(), &answer, 1, 0) != 1))
      throw StageFailure(Verdict::infrastructure_error, "nobody says whose turn it is on the GPU");
  }

  /// The end of the program says it, too.
  void give_back() {
    if (channel_) say('d');
  }

  /// To hold while one answer is checked, after the turn: waits while anyone times. Beside checks
  /// on all processors short batches took up to twice as long, even when the checks had no
  /// priority.
  Descriptor check() const {
    constexpr auto kPause = std::chrono::milliseconds(10);
    if (checks_.empty()) return Descriptor();
    for (;; std::this_thread::sleep_for(kPause)) {
      const Descriptor door = opened(checks_[0]);
      if (door && flock(door.get(), LOCK_SH | LOCK_NB) != 0) continue;
      Descriptor room = opened(checks_[1]);
      if (room) flock(room.get(), LOCK_SH);  // at once: who takes the room closes the door before
      return room;
    }
  }

 private:
  static Descriptor opened(const std::string& file) {
    return Descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  }
  bool say(char word) { return send(channel_.get(), &word, 1, MSG_NOSIGNAL) == 1; }

  Descriptor channel_;
  std::vector<std::string> checks_;
};

}  // namespace warpwise
