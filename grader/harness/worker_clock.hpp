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

}  // namespace warpwise
