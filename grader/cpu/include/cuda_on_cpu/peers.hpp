// What programs ask about other devices and about the banks of shared memory. There is one device,
// so it has no peers; a copy to the same device is an ordinary one.
#pragma once

#include "runtime_api.hpp"

#pragma GCC visibility push(default)

inline cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return cudaErrorInvalidDevice; }
inline cudaError_t cudaDeviceDisablePeerAccess(int) { return cudaErrorPeerAccessNotEnabled; }
inline cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                                  size_t bytes) {
  if (to_device || from_device) return cudaErrorInvalidDevice;
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
inline cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                       size_t bytes, cudaStream_t stream = nullptr) {
  if (to_device || from_device) return cudaErrorInvalidDevice;
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

// Banks are four bytes wide on every GPU that CUDA 13 supports.
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault,
  cudaSharedMemBankSizeFourByte,
  cudaSharedMemBankSizeEightByte,
};
inline cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config) {
  if (!config) return cudaErrorInvalidValue;
  *config = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
template <class Kernel>
inline cudaError_t cudaFuncSetSharedMemConfig(Kernel, cudaSharedMemConfig) {
  return cudaSuccess;
}

#pragma GCC visibility pop
