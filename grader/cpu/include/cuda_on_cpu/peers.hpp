// What programs ask about other devices and about the banks of shared memory. There is one device,
// or with WARPWISE_DEVICE=devices=2 there are two. They share one memory, so a copy from one to the
// other is an ordinary one. A kernel that uses the other's memory although the program has not
// enabled that is seen in check mode only.
#pragma once

#include "runtime_api.hpp"

#pragma GCC visibility push(default)

enum cudaDeviceP2PAttr {
  cudaDevP2PAttrPerformanceRank = 1,
  cudaDevP2PAttrAccessSupported = 2,
  cudaDevP2PAttrNativeAtomicSupported = 3,
  cudaDevP2PAttrCudaArrayAccessSupported = 4,
};
cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr attribute, int device,
                                      int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
inline bool cuda_on_cpu_are_devices(int a, int b) {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && a >= 0 && b >= 0 && a < count && b < count;
}
namespace cuda_on_cpu {
void join_devices();  // all work on both, before and after
}
// Ordered after and before all other work of both devices.
inline cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                                  size_t bytes) {
  if (!cuda_on_cpu_are_devices(to_device, from_device)) return cudaErrorInvalidDevice;
  ::cuda_on_cpu::join_devices();
  const cudaError_t error = cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
  ::cuda_on_cpu::join_devices();
  return error;
}
inline cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                       size_t bytes, cudaStream_t stream = nullptr) {
  if (!cuda_on_cpu_are_devices(to_device, from_device)) return cudaErrorInvalidDevice;
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
