// The runtime API. Streams are accepted and checked, and every call has finished when it returns.
#pragma once

#include <cstdlib>
#include <cstddef>
#include <type_traits>

#include "launch_types.hpp"
#include "qualifiers.hpp"
#include "runtime_types.hpp"

#pragma GCC visibility push(default)

// Errors. A launch failure is sticky: every later call returns it.
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);

// Device.
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceSynchronize();
// Its name until CUDA 12.
inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
cudaError_t cudaDeviceReset();
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *wanted);
cudaError_t cudaSetDeviceFlags(unsigned flags);
cudaError_t cudaGetDeviceFlags(unsigned *flags);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device);
cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags);
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();

// Memory.
cudaError_t cudaMalloc(void **pointer, size_t bytes);
cudaError_t cudaFree(void *pointer);
cudaError_t cudaMallocHost(void **pointer, size_t bytes);
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void *pointer);
cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags = cudaMemAttachGlobal);
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemset(void *to, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream = nullptr);
cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *pointer);
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
cudaError_t cudaHostGetFlags(unsigned *flags, void *host);
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device,
                                 cudaStream_t stream = nullptr);
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream = nullptr);
cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, cudaMemoryAdvise advice, int device);
cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation location);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes = 0,
                                     unsigned flags = cudaMemAttachSingle);
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer);

// Streams and events.
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags) {
  return cudaEventCreateWithFlags(event, flags);
}
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = nullptr,
                                     unsigned flags = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t stop);

namespace cuda_on_cpu {

// Memory of a library's containers that host code and kernels use alike: thrust::device_vector.
// After it is room, as on a GPU: a kernel that writes a little too far must not destroy the host's
// heap.
constexpr std::size_t kRoomOfLibrary = 4096;
void *allocate_for_library(std::size_t bytes);
void free_for_library(void *pointer);
void note_symbol_address(const void *symbol, std::size_t bytes);
cudaError_t copy_symbol(void *to, const void *from, std::size_t bytes, std::size_t offset,
                        std::size_t symbol_bytes, cudaMemcpyKind kind, bool to_host);
cudaError_t copy_symbol_async(void *to, const void *from, std::size_t bytes, std::size_t offset,
                              std::size_t symbol_bytes, cudaMemcpyKind kind, bool to_host,
                              cudaStream_t stream);
cudaError_t no_symbol();
cudaError_t set_function_attribute(const void *kernel, cudaFuncAttribute attribute, int value,
                                   Site caller);

}  // namespace cuda_on_cpu

namespace cuda_on_cpu {

// In check mode the rewriter writes cudaMalloc(&x, bytes) as
//   (::cuda_on_cpu::name_next_buffer("x"), cudaMalloc(&x, bytes))
void name_next_buffer(const char *name);

// What host code means by the name of a __device__ variable, whose address it takes: memory of the
// host.
template <class T>
T &host_copy_of(T &) {
  static T *const copy = static_cast<T *>(std::calloc(1, sizeof(T)));
  return *copy;
}

// The rewriter writes a call whose result is thrown away as
//   ::cuda_on_cpu::Discarded{"cudaMemcpy", {file, line}}, cudaMemcpy(...);
struct Discarded {
  const char *call;
  Site site;
};
void note_discarded(cudaError_t error, const char *call, Site site);
// The rewriter writes these for queries whose answer is thrown away.
cudaError_t unread_stream_query(cudaStream_t stream);
cudaError_t unread_event_query(cudaEvent_t event);
void note_discarded(const char *reason, const char *call, Site site);  // of a library
inline void operator,(const Discarded &discarded, cudaError_t error) {
  if (error != cudaSuccess) note_discarded(error, discarded.call, discarded.site);
}

// A copy that is longer than an array of the host; returns how many bytes may be copied.
std::size_t copy_leaves_array(bool is_target, const void *array, std::size_t room,
                              std::size_t bytes);
// How many of the bytes may be copied from or to an array of the host with this room.
#ifdef CUDA_ON_CPU_INSTRUMENTED
#define CUDA_ON_CPU_COPY_INLINE __attribute__((always_inline)) inline
CUDA_ON_CPU_COPY_INLINE std::size_t bytes_within(bool is_target, const void *array,
                                                 std::size_t room, std::size_t bytes) {
  return bytes <= room ? bytes : copy_leaves_array(is_target, array, room, bytes);
}
#else
#define CUDA_ON_CPU_COPY_INLINE inline
inline std::size_t bytes_within(bool, const void *, std::size_t, std::size_t bytes) {
  return bytes;
}
#endif

/// The first byte of a variable, which may be const or volatile.
template <class T>
inline char *bytes_of(T &symbol) {
  return (char *)&symbol;
}

}  // namespace cuda_on_cpu

// Typed pointers, as in CUDA's C++ overloads. T may be const or volatile.
template <class T>
inline cudaError_t cudaMalloc(T **pointer, size_t bytes) {
  return cudaMalloc((void **)pointer, bytes);
}
template <class T>
inline cudaError_t cudaMallocHost(T **pointer, size_t bytes) {
  return cudaMallocHost((void **)pointer, bytes);
}
template <class T>
inline cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned flags) {
  return cudaHostAlloc((void **)pointer, bytes, flags);
}
template <class T>
inline cudaError_t cudaMallocManaged(T **pointer, size_t bytes,
                                     unsigned flags = cudaMemAttachGlobal) {
  return cudaMallocManaged((void **)pointer, bytes, flags);
}
template <class T>
inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned flags) {
  return cudaHostGetDevicePointer((void **)device, host, flags);
}
template <class T>
inline cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync((void **)pointer, bytes, stream);
}

// Symbols: __device__ and __constant__ variables are ordinary variables here.
template <class T>
CUDA_ON_CPU_COPY_INLINE cudaError_t
cudaMemcpyToSymbol(T &symbol, const void *from, size_t bytes, size_t offset = 0,
                   cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  if (offset <= sizeof(T) && bytes <= sizeof(T) - offset)
    bytes = ::cuda_on_cpu::bytes_within(false, from, __builtin_object_size(from, 0), bytes);
  return ::cuda_on_cpu::copy_symbol(::cuda_on_cpu::bytes_of(symbol) + offset, from, bytes, offset,
                                    sizeof(T), kind, false);
}
template <class T>
CUDA_ON_CPU_COPY_INLINE cudaError_t
cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                     cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  if (offset <= sizeof(T) && bytes <= sizeof(T) - offset)
    bytes = ::cuda_on_cpu::bytes_within(true, to, __builtin_object_size(to, 0), bytes);
  return ::cuda_on_cpu::copy_symbol(to, ::cuda_on_cpu::bytes_of(symbol) + offset, bytes, offset,
                                    sizeof(T), kind, true);
}

// What is no variable: `cudaMemcpyToSymbol((const char *)table, ...)`, or a text, as CUDA 4 had it.
template <class T>
  requires(!std::is_lvalue_reference_v<T>)
inline cudaError_t cudaMemcpyToSymbol(T &&, const void *, size_t, size_t = 0,
                                      cudaMemcpyKind = cudaMemcpyHostToDevice) {
  return ::cuda_on_cpu::no_symbol();
}
template <class T>
  requires(!std::is_lvalue_reference_v<T>)
inline cudaError_t cudaMemcpyFromSymbol(void *, T &&, size_t, size_t = 0,
                                        cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  return ::cuda_on_cpu::no_symbol();
}
template <class T>
CUDA_ON_CPU_COPY_INLINE cudaError_t cudaMemcpyToSymbolAsync(
    T &symbol, const void *from, size_t bytes, size_t offset = 0,
    cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = nullptr) {
  if (offset <= sizeof(T) && bytes <= sizeof(T) - offset)
    bytes = ::cuda_on_cpu::bytes_within(false, from, __builtin_object_size(from, 0), bytes);
  return ::cuda_on_cpu::copy_symbol_async(::cuda_on_cpu::bytes_of(symbol) + offset, from, bytes,
                                          offset, sizeof(T), kind, false, stream);
}
template <class T>
CUDA_ON_CPU_COPY_INLINE cudaError_t cudaMemcpyFromSymbolAsync(
    void *to, const T &symbol, size_t bytes, size_t offset = 0,
    cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = nullptr) {
  if (offset <= sizeof(T) && bytes <= sizeof(T) - offset)
    bytes = ::cuda_on_cpu::bytes_within(true, to, __builtin_object_size(to, 0), bytes);
  return ::cuda_on_cpu::copy_symbol_async(to, ::cuda_on_cpu::bytes_of(symbol) + offset, bytes,
                                          offset, sizeof(T), kind, true, stream);
}
template <class T>
inline cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol) {
  if (!pointer) return cudaErrorInvalidValue;
  *pointer = ::cuda_on_cpu::bytes_of(symbol);
  ::cuda_on_cpu::note_symbol_address(*pointer, sizeof(T));
  return cudaSuccess;
}
template <class T>
inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &) {
  if (!bytes) return cudaErrorInvalidValue;
  *bytes = sizeof(T);
  return cudaSuccess;
}

// Kernels as values.
template <class... Parameter>
inline cudaError_t cudaFuncSetAttribute(void (*kernel)(Parameter...), cudaFuncAttribute attribute,
                                        int value, CUDA_ON_CPU_CALLER) {
  return ::cuda_on_cpu::set_function_attribute(reinterpret_cast<const void *>(kernel), attribute,
                                               value, caller);
}
inline cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value,
                                        CUDA_ON_CPU_CALLER) {
  return ::cuda_on_cpu::set_function_attribute(kernel, attribute, value, caller);
}

#pragma GCC visibility pop
