// Device memory from the device's pool: what a timed function takes for itself. cudaMalloc and
// cudaFree stop the whole device and cost as much as many kernels; the pool hands out again what it
// got back, in microseconds and in the order of the default stream.
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
    keep_what_comes_back();
    if (n > 0)
      CUDA_CHECK(cudaMallocAsync(reinterpret_cast<void**>(&data_), n * sizeof(T), nullptr));
  }
  PoolBuffer(PoolBuffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  PoolBuffer& operator=(PoolBuffer&&) = delete;
  ~PoolBuffer() {
    if (data_) CUDA_CHECK_NOEXCEPT(cudaFreeAsync(data_, nullptr));
  }

  T* data() const noexcept { return data_; }

 private:
  /// Without this the pool returns its memory to the system at every synchronisation.
  static void keep_what_comes_back() {
    static const bool kept = [] {
      cudaMemPool_t pool;
      std::uint64_t bytes = UINT64_MAX;
      CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
      CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &bytes));
      return true;
    }();
    static_cast<void>(kept);
  }

  T* data_ = nullptr;
};

}  // namespace kit
