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
cudaError_t copy_in_runtime(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                            size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream)
    __asm__("_Z17cudaMemcpy2DAsyncPvmPKvmmm14cudaMemcpyKindP11CUstream_st");
cudaError_t copy_in_runtime(cudaArray_t to, size_t x_bytes, size_t y, const void *from,
                            size_t pitch, size_t width, size_t height, cudaMemcpyKind kind)
    __asm__("_Z19cudaMemcpy2DToArrayP9cudaArraymmPKvmmm14cudaMemcpyKind");
cudaError_t copy_in_runtime(cudaArray_t to, size_t x_bytes, size_t y, const void *from,
                            size_t pitch, size_t width, size_t height, cudaMemcpyKind kind,
                            cudaStream_t stream)
    __asm__("_Z24cudaMemcpy2DToArrayAsyncP9cudaArraymmPKvmmm14cudaMemcpyKindP11CUstream_st");
cudaError_t copy_in_runtime(void *to, size_t pitch, cudaArray_const_t from, size_t x_bytes,
                            size_t y, size_t width, size_t height, cudaMemcpyKind kind)
    __asm__("_Z21cudaMemcpy2DFromArrayPvmPK9cudaArraymmmm14cudaMemcpyKind");
cudaError_t copy_in_runtime(const cudaMemcpy3DParms *parameters)
    __asm__("_Z12cudaMemcpy3DPK17cudaMemcpy3DParms");
cudaError_t copy_in_runtime(const cudaMemcpy3DParms *parameters, cudaStream_t stream)
    __asm__("_Z17cudaMemcpy3DAsyncPK17cudaMemcpy3DParmsP11CUstream_st");

// How many of the rows, or of the slices, may be copied.
CUDA_ON_CPU_COPY_INLINE size_t rows_within(bool is_target, const void *array, size_t room,
                                           size_t pitch, size_t width, size_t height) {
  if (height == 0 || width > pitch || (height - 1) * pitch + width <= room) return height;
  copy_leaves_array(is_target, array, room, (height - 1) * pitch + width);
  return room < width ? 0 : (room - width) / pitch + 1;
}
// If the other side is an array, the width counts elements: then a little more is needed than this.
CUDA_ON_CPU_COPY_INLINE size_t slices_within(bool is_target, const cudaPitchedPtr &side,
                                             const cudaPos &at, const cudaExtent &extent,
                                             size_t room) {
  const size_t slice = side.pitch * side.ysize;
  const size_t first = at.z * slice + (at.y + extent.height - 1) * side.pitch + at.x + extent.width;
  if (!side.ptr || !extent.width || !extent.height || !extent.depth || !slice ||
      first + (extent.depth - 1) * slice <= room)
    return extent.depth;
  copy_leaves_array(is_target, side.ptr, room, first + (extent.depth - 1) * slice);
  return room < first ? 0 : (room - first) / slice + 1;
}
CUDA_ON_CPU_COPY_INLINE size_t slices_within(const cudaMemcpy3DParms &wanted) {
  const void *to = wanted.dstPtr.ptr, *from = wanted.srcPtr.ptr;
  const size_t to_room = __builtin_object_size(to, 0), from_room = __builtin_object_size(from, 0);
  cudaExtent extent = wanted.extent;
  extent.depth = slices_within(true, wanted.dstPtr, wanted.dstPos, extent, to_room);
  return slices_within(false, wanted.srcPtr, wanted.srcPos, extent, from_room);
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
CUDA_ON_CPU_COPY cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                   size_t width, size_t height, cudaMemcpyKind kind,
                                   cudaStream_t stream) {
  const size_t to_room = __builtin_object_size(to, 0), from_room = __builtin_object_size(from, 0);
  height = ::cuda_on_cpu::rows_within(true, to, to_room, to_pitch, width, height);
  height = ::cuda_on_cpu::rows_within(false, from, from_room, from_pitch, width, height);
  return ::cuda_on_cpu::copy_in_runtime(to, to_pitch, from, from_pitch, width, height, kind,
                                        stream);
}
CUDA_ON_CPU_COPY cudaMemcpy2DToArray(cudaArray_t to, size_t x_bytes, size_t y, const void *from,
                                     size_t pitch, size_t width, size_t height,
                                     cudaMemcpyKind kind) {
  const size_t room = __builtin_object_size(from, 0);
  height = ::cuda_on_cpu::rows_within(false, from, room, pitch, width, height);
  return ::cuda_on_cpu::copy_in_runtime(to, x_bytes, y, from, pitch, width, height, kind);
}
CUDA_ON_CPU_COPY cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x_bytes, size_t y,
                                          const void *from, size_t pitch, size_t width,
                                          size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  const size_t room = __builtin_object_size(from, 0);
  height = ::cuda_on_cpu::rows_within(false, from, room, pitch, width, height);
  return ::cuda_on_cpu::copy_in_runtime(to, x_bytes, y, from, pitch, width, height, kind, stream);
}
CUDA_ON_CPU_COPY cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from,
                                       size_t x_bytes, size_t y, size_t width, size_t height,
                                       cudaMemcpyKind kind) {
  const size_t room = __builtin_object_size(to, 0);
  height = ::cuda_on_cpu::rows_within(true, to, room, pitch, width, height);
  return ::cuda_on_cpu::copy_in_runtime(to, pitch, from, x_bytes, y, width, height, kind);
}
CUDA_ON_CPU_COPY cudaMemcpy3D(const cudaMemcpy3DParms *parameters) {
  if (!parameters) return ::cuda_on_cpu::copy_in_runtime(parameters);
  cudaMemcpy3DParms within = *parameters;
  within.extent.depth = ::cuda_on_cpu::slices_within(*parameters);
  return ::cuda_on_cpu::copy_in_runtime(&within);
}
CUDA_ON_CPU_COPY cudaMemcpy3DAsync(const cudaMemcpy3DParms *parameters, cudaStream_t stream) {
  if (!parameters) return ::cuda_on_cpu::copy_in_runtime(parameters, stream);
  cudaMemcpy3DParms within = *parameters;
  within.extent.depth = ::cuda_on_cpu::slices_within(*parameters);
  return ::cuda_on_cpu::copy_in_runtime(&within, stream);
}
#undef CUDA_ON_CPU_COPY

#pragma GCC visibility pop
#endif
