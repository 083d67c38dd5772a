// CUDA events and a cold cache: how a worker times its own calls. Shown beside the judge's clock,
// and never trusted.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "cuda_check.hpp"
#include "device_buffer.hpp"

namespace warpwise {

class Event {
 public:
  Event() { CUDA_CHECK(cudaEventCreate(&event_)); }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  ~Event() {
    if (event_) CUDA_CHECK_NOEXCEPT(cudaEventDestroy(event_));
  }
  void record() { CUDA_CHECK(cudaEventRecord(event_)); }
  float milliseconds_since(const Event& start) const {
    float milliseconds = 0;
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start.event_, event_));
    return milliseconds;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Pushes everything out of the L2 cache by writing twice its size.
class CacheFlush {
 public:
  CacheFlush() {
    int bytes = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, 0));
    buffer_ = kit::DeviceBuffer<std::byte>(2 * static_cast<std::size_t>(std::max(bytes, 1 << 20)));
  }
  void operator()() { CUDA_CHECK(cudaMemsetAsync(buffer_.data(), 0, buffer_.size())); }

 private:
  kit::DeviceBuffer<std::byte> buffer_;
};

/// Bytes read and written per second, by the fastest of a few copies of `bytes` on the device.
inline double copy_rate(std::size_t bytes) {
  constexpr int kRepetitions = 8;
  const kit::DeviceBuffer<std::byte> from(bytes), to(bytes);
  CUDA_CHECK(cudaMemset(from.data(), 0, bytes));
  double best = 0;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    Event start, end;
    start.record();
    CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice));
    end.record();
    CUDA_CHECK(cudaDeviceSynchronize());
    best = std::max(best, 2e3 * static_cast<double>(bytes) / end.milliseconds_since(start));
  }
  return best;
}

/// The same once within the L2 cache of a large GPU, once beyond it: what is faster.
inline double best_copy_rate() {
  return std::max(copy_rate(std::size_t{8} << 20), copy_rate(std::size_t{256} << 20));
}

}  // namespace warpwise
