// Whose turn it is on a GPU. A comparison gets ready beside others, and is alone while it times: it
// says over a socket when it is ready, is answered when all others have left the GPU, and says when
// it has finished.
#pragma once

#include <sched.h>
#include <sys/socket.h>

#include "descriptor.hpp"
#include "verdict.hpp"

namespace warpwise {

class Turn {
 public:
  /// `channel` leads to who gives the turns; -1: it is always our turn.
  explicit Turn(int channel) : channel_(channel) {}

  /// Waits for as long as it takes. Throws StageFailure when nobody gives turns any more.
  void take() {
    char answer = 0;
    if (channel_ && (!say('r') || recv(channel_.get(), &answer, 1, 0) != 1))
      throw StageFailure(Verdict::infrastructure_error, "nobody says whose turn it is on the GPU");
  }

  /// The end of the program says it, too. What this process still does gives way at once to who is
  /// timed next: beside threads of a low priority alone, short batches took up to twice as long.
  void give_back() {
    const sched_param nothing{};
    if (channel_ && say('d')) sched_setscheduler(0, SCHED_IDLE, &nothing);  // and for the threads to come
  }

 private:
  bool say(char word) { return send(channel_.get(), &word, 1, MSG_NOSIGNAL) == 1; }

  Descriptor channel_;
};

}  // namespace warpwise
