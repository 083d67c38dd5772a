// A lock of the runtime. A checker follows the locks of the program, and passes over these.
#pragma once

#include <mutex>

namespace cuda_on_cpu {

inline thread_local constinit bool in_own_mutex = false;

class OwnMutex {
 public:
  void lock() {
    in_own_mutex = true;
    mutex_.lock();
    in_own_mutex = false;
  }
  bool try_lock() {
    in_own_mutex = true;
    const bool mine = mutex_.try_lock();
    in_own_mutex = false;
    return mine;
  }
  void unlock() {
    in_own_mutex = true;
    mutex_.unlock();
    in_own_mutex = false;
  }

 private:
  std::mutex mutex_;
};

}  // namespace cuda_on_cpu
