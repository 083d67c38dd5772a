// How the figures' programs take time. On a GPU: CUDA events around one call, with a cold L2 cache.
// On the CPU backend: a steady clock, and no figure calls that a GPU's time.
#pragma once

#include <chrono>

#include "worker_clock.hpp"

namespace figures {

/// Seconds that `call` takes on the CPU's clock.
template <typename Call>
double host_seconds(const Call& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

#ifdef WARPWISE_GPU

inline constexpr const char* kBackend = "gpu";
inline constexpr const char* kClock = "CUDA events, cold L2 cache";

class Clock {
 public:
  /// Seconds from the first request of `call` to the GPU until the end of the last; waits for it.
  template <typename Call>
  double seconds(const Call& call) {
    flush_();
    start_.record();
    call();
    end_.record();
    CUDA_CHECK(cudaDeviceSynchronize());
    return end_.milliseconds_since(start_) / 1e3;
  }

 private:
  warpwise::CacheFlush flush_;
  warpwise::Event start_, end_;
};

#else

inline constexpr const char* kBackend = "cpu";
inline constexpr const char* kClock = "CPU backend, not a GPU";

class Clock {
 public:
  template <typename Call>
  double seconds(const Call& call) {
    return host_seconds([&] {
      call();
      CUDA_CHECK(cudaDeviceSynchronize());
    });
  }
};

#endif

}  // namespace figures
