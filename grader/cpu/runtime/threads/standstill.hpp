// Whether the blocks of a grid that wait for other blocks can still go on. One of those that they
// wait for may be on another worker, which the system has not let run for a while. So all workers
// have to see that nothing changes.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>

#include "base/own_mutex.hpp"

namespace cuda_on_cpu {

class Standstill {
 public:
  void worker_begins();
  void worker_ends();
  void change();  // a block has begun to wait, or has ended
  bool rest();    // until something changes, or all workers rest; whether nobody can go on

 private:
  using Clock = std::chrono::steady_clock;

  void begin_turn_if_all_rest();

  OwnMutex mutex_;
  unsigned workers_ = 0, resting_ = 0, fruitless_ = 0;
  Clock::time_point fruitless_since_{};
  std::uint64_t turn_ = 0;
};

}  // namespace cuda_on_cpu
