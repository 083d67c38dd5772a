// What the runtime API says about the virtual device.
#include <atomic>
#include <cstring>

#include "base/submission_code.hpp"
#include "cuda_on_cpu/virtual_device.hpp"
#include "device/device.hpp"
#include "device/given_memory.hpp"
#include "device/host_memory.hpp"
#include "messages/errors.hpp"
#include "messages/failures.hpp"
#include "streams/refusals.hpp"
#include "streams/stream_order.hpp"
#include "threads/stack_pool.hpp"

using namespace cuda_on_cpu;

namespace {

// -1 for an attribute that the virtual device does not have.
long attribute_value(cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
      return kMaxThreadsPerBlock;
    case cudaDevAttrMaxBlockDimZ:
      return kMaxBlockDimZ;
    case cudaDevAttrMaxGridDimX:
      return kMaxGridDimX;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      return kMaxGridDimYZ;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return kSharedPerBlock;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return this_device().shared_per_block;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return this_device().shared_per_multiprocessor();
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return kSharedReservedPerBlock;
    case cudaDevAttrTotalConstantMemory:
      return kConstantMemory;
    case cudaDevAttrWarpSize:
      return kWarpSize;
    case cudaDevAttrMaxRegistersPerBlock:
      return kRegistersPerBlock;
    case cudaDevAttrClockRate:
      return kClockKilohertz;
    case cudaDevAttrMemoryClockRate:
      return kMemoryClockKilohertz;
    case cudaDevAttrGlobalMemoryBusWidth:
      return kMemoryBusBits;
    case cudaDevAttrMultiProcessorCount:
      return this_device().multiprocessors;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return kMaxThreadsPerMultiprocessor;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return kMaxBlocksPerMultiprocessor;
    case cudaDevAttrL2CacheSize:
      return this_device().l2_bytes;
    case cudaDevAttrComputeCapabilityMajor:
      return kComputeCapabilityMajor;
    case cudaDevAttrComputeCapabilityMinor:
      return kComputeCapabilityMinor;
    case cudaDevAttrComputeMode:
      return cudaComputeModeDefault;
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrClusterLaunch:
      return 1;
    case cudaDevAttrCooperativeLaunch:
      return this_device().cooperative;
    case cudaDevAttrMemoryPoolsSupported:
      return this_device().pools;
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrAsyncEngineCount:
      return 1;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return kRegistersPerBlock;
    case cudaDevAttrIntegrated:
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrTccDriver:
    case cudaDevAttrHostNativeAtomicSupported:
    case cudaDevAttrPageableMemoryAccess:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrComputePreemptionSupported:
      return 0;
  }
  return -1;
}

}  // namespace

cudaError_t cudaDeviceSynchronize() {
  if (const cudaError_t error = refused(Use::whole_device)) return finish_call(error);
  if (asynchrony()) asynchrony()->host_waits_for_device(current_device());
  return finish_call(cudaSuccess);
}

// A worker's buffers are the judge's, and are kept.
cudaError_t cudaDeviceReset() {
  if (asynchrony()) asynchrony()->host_waits_for_all();
  if (!is_in_worker()) free_given();
  forget_host_buffers_left();
  set_sticky_error(cudaSuccess);
  return cudaSuccess;
}

// By cudaLimit. Nothing here depends on them: all that kernels print is shown, for example.
static std::size_t other_limits[] = {0, 1 << 20, 0, 2, 2048, 64, 0};
static std::size_t heap_bytes = std::size_t{8} << 20;
static std::atomic<bool> heap_is_in_use = false;
std::size_t cuda_on_cpu::heap_limit() {
  heap_is_in_use = true;
  return heap_bytes;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  if (limit == cudaLimitStackSize) set_wanted_stack_bytes(value);
  if (limit == cudaLimitMallocHeapSize && heap_is_in_use) {
    explain("a kernel has already used malloc() or new: the heap keeps its size from then on");
    return finish_call(cudaErrorInvalidValue);
  }
  if (limit == cudaLimitMallocHeapSize) heap_bytes = value;
  const bool known = limit >= cudaLimitStackSize && limit <= cudaLimitPersistingL2CacheSize;
  if (known) other_limits[limit] = value;
  return finish_call(known ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
  const bool known = limit >= cudaLimitStackSize && limit <= cudaLimitPersistingL2CacheSize;
  if (!value || !known) return finish_call(cudaErrorInvalidValue);
  *value = limit == cudaLimitStackSize        ? wanted_stack_bytes()
           : limit == cudaLimitMallocHeapSize ? heap_bytes
                                              : other_limits[limit];
  return finish_call(cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int *version) {
  if (!version) return finish_call(cudaErrorInvalidValue);
  *version = CUDART_VERSION;
  return finish_call(cudaSuccess);
}
cudaError_t cudaDriverGetVersion(int *version) { return cudaRuntimeGetVersion(version); }

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
  if (!is_device(device)) return finish_call(cudaErrorInvalidDevice);
  const long known = attribute_value(attribute);
  if (!value || known < 0) return finish_call(cudaErrorInvalidValue);
  *value = static_cast<int>(known);
  return finish_call(cudaSuccess);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
  if (!is_device(device)) return finish_call(cudaErrorInvalidDevice);
  if (!properties) return finish_call(cudaErrorInvalidValue);
  cudaDeviceProp p{};
  std::memcpy(p.name, kDeviceName, sizeof kDeviceName);
  p.totalGlobalMem = kGlobalMemory;
  p.totalConstMem = kConstantMemory;
  p.sharedMemPerBlock = kSharedPerBlock;
  p.sharedMemPerBlockOptin = this_device().shared_per_block;
  p.sharedMemPerMultiprocessor = this_device().shared_per_multiprocessor();
  p.reservedSharedMemPerBlock = kSharedReservedPerBlock;
  p.major = kComputeCapabilityMajor;
  p.minor = kComputeCapabilityMinor;
  p.warpSize = kWarpSize;
  p.multiProcessorCount = this_device().multiprocessors;
  p.maxThreadsPerBlock = p.maxThreadsDim[0] = p.maxThreadsDim[1] = kMaxThreadsPerBlock;
  p.maxThreadsDim[2] = kMaxBlockDimZ;
  p.maxThreadsPerMultiProcessor = kMaxThreadsPerMultiprocessor;
  p.maxBlocksPerMultiProcessor = kMaxBlocksPerMultiprocessor;
  p.maxGridSize[0] = kMaxGridDimX;
  p.maxGridSize[1] = p.maxGridSize[2] = kMaxGridDimYZ;
  p.regsPerBlock = p.regsPerMultiprocessor = kRegistersPerBlock;
  p.memoryBusWidth = kMemoryBusBits;
  p.l2CacheSize = static_cast<int>(this_device().l2_bytes);
  p.unifiedAddressing = p.managedMemory = p.canMapHostMemory = 1;
  p.cooperativeLaunch = this_device().cooperative;
  p.concurrentKernels = p.asyncEngineCount = p.clusterLaunch = 1;
  p.streamPrioritiesSupported = 1;
  p.maxTexture1D = p.maxTexture2D[0] = p.maxTexture2D[1] = 1 << 16;
  p.maxTexture3D[0] = p.maxTexture3D[1] = p.maxTexture3D[2] = 1 << 14;
  p.maxTexture1DLayered[0] = p.maxTexture2DLayered[0] = p.maxTexture2DLayered[1] = 1 << 15;
  p.maxTexture1DLayered[1] = p.maxTexture2DLayered[2] = 2048;
  p.maxSurface1D = p.maxSurface2D[0] = p.maxSurface2D[1] = 1 << 15;
  p.maxTexture2DLinear[0] = p.maxTexture2DLinear[1] = 1 << 16;
  p.maxTexture2DLinear[2] = 1 << 20;
  p.hostRegisterSupported = p.canUseHostPointerForRegisteredMem = 1;
  p.memoryPoolsSupported = this_device().pools;
  p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.hostNumaId = -1;
  p.memPitch = 2147483647;
  p.textureAlignment = 512;
  p.texturePitchAlignment = 32;
  p.clockRate = kClockKilohertz;
  p.memoryClockRate = kMemoryClockKilohertz;
  p.deviceOverlap = 1;
  p.maxTexture1DLinear = 1 << 28;
  p.singleToDoublePrecisionPerfRatio = 2;
  *properties = p;
  return finish_call(cudaSuccess);
}

// There is one device, no cache and no profiler, so there is nothing to choose, set or start.
cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *wanted) {
  if (!wanted) return finish_call(cudaErrorInvalidValue);
  return cudaGetDevice(device);
}
cudaError_t cudaSetDeviceFlags(unsigned) { return finish_call(cudaSuccess); }
cudaError_t cudaGetDeviceFlags(unsigned *flags) {
  if (!flags) return finish_call(cudaErrorInvalidValue);
  *flags = cudaDeviceScheduleAuto;
  return finish_call(cudaSuccess);
}
cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }
cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device) {
  constexpr char kAddress[] = "0000:00:00.0";
  if (!text || length < static_cast<int>(sizeof kAddress) || !is_device(device))
    return finish_call(cudaErrorInvalidValue);
  std::memcpy(text, kAddress, sizeof kAddress);
  return finish_call(cudaSuccess);
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return finish_call(cudaSuccess); }
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *preference) {
  if (!preference) return finish_call(cudaErrorInvalidValue);
  *preference = cudaFuncCachePreferNone;
  return finish_call(cudaSuccess);
}
cudaError_t cudaProfilerStart() { return finish_call(cudaSuccess); }
cudaError_t cudaProfilerStop() { return finish_call(cudaSuccess); }
