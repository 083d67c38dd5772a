// Device memory from the device's pool, for timed functions that need memory. cudaMalloc and
// cudaFree stop the whole device and cost as much as many kernels. The pool hands out freed memory
// again, in microseconds and in the order of the default stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "cuda_check.hpp"

namespace kit {

template <typename T>
class PoolBuffer {
 public:
  /// Takes n * sizeof(T) bytes, uninitialised; n = 0 takes none.
  explicit PoolBuffer(std::size_t n) {
    if (n == 0) return;
    void** const place = reinterpret_cast<void**>(&data_);
    if (has_pool())
      CUDA_CHECK(cudaMallocAsync(place, n * sizeof(T), nullptr));
    else
      CUDA_CHECK(cudaMalloc(place, n * sizeof(T)));
  }
  PoolBuffer(PoolBuffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  PoolBuffer& operator=(PoolBuffer&&) = delete;
  ~PoolBuffer() {
    if (data_) CUDA_CHECK_NOEXCEPT(has_pool() ? cudaFreeAsync(data_, nullptr) : cudaFree(data_));
  }

  T* data() const noexcept { return data_; }

 private:
  /// Whether this device has a pool; some virtual devices do not. The first call also tells the
  /// pool to keep freed memory: otherwise it returns it to the system at every synchronisation.
  static bool has_pool() {
    static const bool has = [] {
      int supported = 0;
      CUDA_CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
      if (!supported) return false;
      cudaMemPool_t pool;
      std::uint64_t bytes = UINT64_MAX;
      CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
      CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &bytes));
      return true;
    }();
    return has;
  }

  T* data_ = nullptr;
};

}  // namespace kit
