// Those properties of the virtual device on which programs base decisions. The values come from
// virtual_device.hpp or from WARPWISE_DEVICE, with which tests simulate smaller GPUs.
#pragma once

#include <cstddef>

#include "cuda_on_cpu/virtual_device.hpp"

namespace cuda_on_cpu {

struct Device {
  int multiprocessors = kMultiprocessors;
  std::size_t shared_per_block = kSharedPerBlockOptin;  // after cudaFuncSetAttribute
  std::size_t l2_bytes = kL2CacheBytes;
  bool cooperative = true;  // cooperative launches
  bool pools = true;        // cudaMallocAsync
  int count = 1;            // of such devices; they share the memory and run one after the other

  std::size_t shared_per_multiprocessor() const {
    return shared_per_block + kSharedReservedPerBlock;
  }
};

// Read from the environment once.
const Device &this_device();
bool is_device(int number);
int current_device();  // of the calling thread
// The device that an allocation belongs to; that of the calling thread if it is not known.
int device_of(const void *buffer);
// its own, or cudaDeviceEnablePeerAccess() was called
bool may_use(int device, const void *buffer);
std::size_t heap_limit();  // of the kernels' malloc, as cudaDeviceSetLimit set it

}  // namespace cuda_on_cpu
