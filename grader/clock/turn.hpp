// Whose turn it is on a GPU. A comparison gets ready beside others, and is alone while it times: it
// says over a socket when it is ready, is answered when all others have left the GPU, and says when
// it has finished.
#pragma once

#include <fcntl.h>
#include <sched.h>
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
  /// `channel` leads to who gives the turns; -1: it is always our turn. `shares` are files whose locks
  /// whoever times has, all of them.
  Turn(int channel, std::vector<std::string> shares) : channel_(channel), shares_(std::move(shares)) {}

  /// Waits for as long as it takes. Throws StageFailure when nobody gives turns any more.
  void take() {
    char answer = 0;
    if (channel_ && (!say('r') || recv(channel_.get(), &answer, 1, 0) != 1))
      throw StageFailure(Verdict::infrastructure_error, "nobody says whose turn it is on the GPU");
  }

  /// The end of the program says it, too. What this process still does gives way to the others.
  void give_back() {
    const sched_param nothing{};
    if (channel_ && say('d')) sched_setscheduler(0, SCHED_IDLE, &nothing);  // and for the threads to come
  }

  /// For a short piece of work, after the turn, that all processors do: it waits while anyone times.
  /// Beside it short batches took up to twice as long, even when its threads gave way at once.
  Descriptor share() const {
    constexpr auto kPause = std::chrono::milliseconds(10);
    while (!shares_.empty()) {
      for (const std::string& file : shares_) {
        Descriptor lock(open(file.c_str(), O_RDONLY | O_CLOEXEC));
        if (!lock || flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
      }
      std::this_thread::sleep_for(kPause);
    }
    return Descriptor();
  }

 private:
  bool say(char word) { return send(channel_.get(), &word, 1, MSG_NOSIGNAL) == 1; }

  Descriptor channel_;
  std::vector<std::string> shares_;
};

}  // namespace warpwise
