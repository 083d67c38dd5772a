// cub::CachingDeviceAllocator: memory of the device. Here nothing is kept for the next request.
#pragma once

#include "util_type.cuh"

#pragma GCC visibility push(default)

namespace cub {

struct CachingDeviceAllocator {
  bool debug = false;
  CachingDeviceAllocator(bool = false, bool with_debug = false) : debug(with_debug) {}
  CachingDeviceAllocator(unsigned, unsigned = 1, unsigned = ~0u, std::size_t = ~std::size_t{0},
                         bool = false, bool with_debug = false)
      : debug(with_debug) {}

  cudaError_t DeviceAllocate(void **pointer, std::size_t bytes, cudaStream_t = nullptr) {
    return cudaMalloc(pointer, bytes);
  }
  cudaError_t DeviceAllocate(int, void **pointer, std::size_t bytes, cudaStream_t = nullptr) {
    return cudaMalloc(pointer, bytes);
  }
  cudaError_t DeviceFree(void *pointer) { return cudaFree(pointer); }
  cudaError_t DeviceFree(int, void *pointer) { return cudaFree(pointer); }
  cudaError_t FreeAllCached() { return cudaSuccess; }
};

}  // namespace cub

#pragma GCC visibility pop
