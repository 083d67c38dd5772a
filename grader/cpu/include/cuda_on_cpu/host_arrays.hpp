// In check mode: copies from and to arrays of the host. The compiler knows how large an array is,
// where the array and the copy are in one function. The functions themselves are the runtime's.
#pragma once

#include "array_api.hpp"
#include "qualifiers.hpp"
#include "runtime_api.hpp"

#ifdef CUDA_ON_CPU_INSTRUMENTED
#pragma GCC visibility push(default)

namespace cuda_on_cpu {
cudaError_t copy_in_runtime(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
    __asm__("_Z10cudaMemcpyPvPKvm14cudaMemcpyKind");
cudaError_t copy_in_runtime(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream)
    __asm__("_Z15cudaMemcpyAsyncPvPKvm14cudaMemcpyKindP11CUstream_st");
cudaError_t copy_in_runtime(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                            size_t width, size_t height, cudaMemcpyKind kind)
    __asm__("_Z12cudaMemcpy2DPvmPKvmmm14cudaMemcpyKind");

// How many of the bytes, or of the rows, may be copied.
__attribute__((always_inline)) inline size_t bytes_within(bool is_target, const void *array,
                                                          size_t room, size_t bytes) {
  return bytes <= room ? bytes : copy_leaves_array(is_target, array, room, bytes);
}
__attribute__((always_inline)) inline size_t rows_within(bool is_target, const void *array,
                                                         size_t room, size_t pitch, size_t width,
                                                         size_t height) {
  if (height == 0 || width > pitch || (height - 1) * pitch + width <= room) return height;
  copy_leaves_array(is_target, array, room, (height - 1) * pitch + width);
  return room < width ? 0 : (room - width) / pitch + 1;
}
}  // namespace cuda_on_cpu

#define CUDA_ON_CPU_COPY extern inline __attribute__((gnu_inline, always_inline)) cudaError_t
CUDA_ON_CPU_COPY cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  bytes = ::cuda_on_cpu::bytes_within(true, to, __builtin_object_size(to, 0), bytes);
  bytes = ::cuda_on_cpu::bytes_within(false, from, __builtin_object_size(from, 0), bytes);
  return ::cuda_on_cpu::copy_in_runtime(to, from, bytes, kind);
}
CUDA_ON_CPU_COPY cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                                 cudaStream_t stream) {
  bytes = ::cuda_on_cpu::bytes_within(true, to, __builtin_object_size(to, 0), bytes);
  bytes = ::cuda_on_cpu::bytes_within(false, from, __builtin_object_size(from, 0), bytes);
  return ::cuda_on_cpu::copy_in_runtime(to, from, bytes, kind, stream);
}
CUDA_ON_CPU_COPY cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind) {
  const size_t to_room = __builtin_object_size(to, 0), from_room = __builtin_object_size(from, 0);
  height = ::cuda_on_cpu::rows_within(true, to, to_room, to_pitch, width, height);
  height = ::cuda_on_cpu::rows_within(false, from, from_room, from_pitch, width, height);
  return ::cuda_on_cpu::copy_in_runtime(to, to_pitch, from, from_pitch, width, height, kind);
}
#undef CUDA_ON_CPU_COPY

#pragma GCC visibility pop
#endif
