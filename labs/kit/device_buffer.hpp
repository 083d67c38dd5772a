// Device memory that frees itself: n elements of T, movable, never copied implicitly. Also a
// function that reads one value from device memory.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "cuda_check.hpp"

namespace kit {

template <typename T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;

  /// Takes n * sizeof(T) bytes of device memory, uninitialised; n = 0 takes none.
  explicit DeviceBuffer(std::size_t n) : size_(n) {
    if (n > 0) CUDA_CHECK(cudaMalloc(reinterpret_cast<void**>(&data_), n * sizeof(T)));
  }
  explicit DeviceBuffer(std::span<const T> host) : DeviceBuffer(host.size()) { copy_from(host); }

  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceBuffer() {
    if (data_) CUDA_CHECK_NOEXCEPT(cudaFree(data_));
  }

  T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

  /// Copies host.size() <= size() elements to the front of the buffer; waits for the copy.
  void copy_from(std::span<const T> host) {
    if (!host.empty())
      CUDA_CHECK(cudaMemcpy(data_, host.data(), host.size_bytes(), cudaMemcpyHostToDevice));
  }
  /// Copies the first host.size() elements to the host; waits for the copy.
  void copy_to(std::span<T> host) const {
    if (!host.empty())
      CUDA_CHECK(cudaMemcpy(host.data(), data_, host.size_bytes(), cudaMemcpyDeviceToHost));
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Returns the value that `device` points to, copied after all earlier kernels have finished.
/// Throws CudaError.
template <typename T>
T read_back(const T* device) {
  T value{};
  CUDA_CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

}  // namespace kit
