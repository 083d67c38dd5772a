// Pitched memory, arrays, and copies of rectangles and boxes.
#include <cstring>
#include <vector>

#include "api/texture.hpp"
#include "base/hooks.hpp"
#include "base/statistics.hpp"
#include "device/array.hpp"
#include "device/device_memory.hpp"
#include "device/given_memory.hpp"
#include "messages/failures.hpp"
#include "streams/capture.hpp"
#include "streams/registry.hpp"

namespace cuda_on_cpu {
namespace {

constexpr std::size_t kPitch = 512;  // rows of pitched memory begin at multiples of this

auto &arrays() { return Registry<cudaArray>::instance(); }

// One side of a copy: rows of bytes, `pitch` apart, in slices.
struct Box {
  char *start;
  std::size_t pitch, slice;
  bool in_array;
};

// All of them, at cudaDeviceReset.
void free_arrays() {
  std::vector<const cudaArray *> all;
  arrays().for_each([&](const cudaArray &array) { all.push_back(&array); });
  for (const cudaArray *array : all) {
    array_is_gone(array);
    arrays().destroy(array);
  }
}

bool box_of(cudaArray *array, const cudaPos &position, const cudaPitchedPtr &pointer,
            std::size_t unit, const cudaExtent &extent, Box &box) {
  if ((array != nullptr) == (pointer.ptr != nullptr)) return false;
  if (!array) {
    box = {static_cast<char *>(pointer.ptr), pointer.pitch, pointer.pitch * pointer.ysize, false};
  } else {
    const std::size_t row = row_bytes(*array), height = at_least_one(array->extent.height);
    if (!is_array(array) || position.x * unit + extent.width > row ||
        position.y + extent.height > height ||
        position.z + extent.depth > at_least_one(array->extent.depth))
      return false;
    box = {array->memory.get(), row, row * height, true};
  }
  box.start += position.x * unit + position.y * box.pitch + position.z * box.slice;
  return true;
}

// How many bytes of a side one copy may use: fewer than it wants if they leave a block of the
// host's heap.
std::size_t usable_bytes(const Box &side, const cudaExtent &extent, bool is_target) {
  if (side.in_array || !hooks || !hooks->room_at) return ~std::size_t{0};
  const std::size_t wanted =
      (extent.depth - 1) * side.slice + (extent.height - 1) * side.pitch + extent.width;
  const std::size_t room = hooks->room_at(side.start);
  if (room < wanted)
    hooks->copy_leaves_array(is_target, side.start, room, wanted, copying_for());
  return room;
}

cudaError_t copy_box(const Box &to, const Box &from, const cudaExtent &extent,
                     cudaMemcpyKind kind) {
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return cudaSuccess;
  if ((from.in_array && kind == cudaMemcpyHostToDevice) ||
      (to.in_array && kind == cudaMemcpyDeviceToHost))
    return cudaErrorInvalidMemcpyDirection;
  const auto access = DeviceMemory::instance().open_for_copy();
  const std::size_t to_room = usable_bytes(to, extent, true);
  const std::size_t from_room = usable_bytes(from, extent, false);
  if (hooks && hooks->rows_copied && to.pitch == from.pitch)
    hooks->rows_copied(to.start, from.start, to.pitch, extent.width, extent.height, copying_for());
  for (std::size_t z = 0; z < extent.depth; ++z)
    for (std::size_t y = 0; y < extent.height; ++y) {
      const std::size_t target = z * to.slice + y * to.pitch;
      const std::size_t source = z * from.slice + y * from.pitch;
      if (target + extent.width > to_room || source + extent.width > from_room) return cudaSuccess;
      const cudaError_t error =
          copy_checked(to.start + target, from.start + source, extent.width, kind);
      if (error != cudaSuccess) return error;
    }
  return cudaSuccess;
}

cudaError_t copy_3d(const cudaMemcpy3DParms &wanted) {
  const cudaArray *array = wanted.srcArray ? wanted.srcArray : wanted.dstArray;
  if (array && !is_array(array)) return cudaErrorInvalidValue;
  const std::size_t unit = array ? array->element_bytes : 1;  // positions and widths count elements
  cudaExtent extent = wanted.extent;
  extent.width *= unit;
  Box to, from;
  if (!box_of(wanted.srcArray, wanted.srcPos, wanted.srcPtr, unit, extent, from) ||
      !box_of(wanted.dstArray, wanted.dstPos, wanted.dstPtr, unit, extent, to))
    return cudaErrorInvalidValue;
  return copy_box(to, from, extent, wanted.kind);
}

cudaError_t copy_2d(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch,
                    std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
  const Box target{static_cast<char *>(to), to_pitch, 0, false};
  const Box source{static_cast<char *>(const_cast<void *>(from)), from_pitch, 0, false};
  return copy_box(target, source, {width, height, 1}, kind);
}

// The rectangle starts at `x_bytes` and `y` in the array.
cudaError_t copy_array_2d(cudaArray *array, std::size_t x_bytes, std::size_t y, void *other,
                          std::size_t pitch, std::size_t width, std::size_t height,
                          cudaMemcpyKind kind, bool to_array) {
  if (!is_array(array)) return cudaErrorInvalidResourceHandle;
  if (width > pitch) return cudaErrorInvalidPitchValue;
  const cudaExtent extent{width, height, 1};
  Box inside;
  if (!box_of(array, {x_bytes, y, 0}, {}, 1, extent, inside)) return cudaErrorInvalidValue;
  const Box outside{static_cast<char *>(other), pitch, 0, false};
  return to_array ? copy_box(inside, outside, extent, kind)
                  : copy_box(outside, inside, extent, kind);
}

cudaError_t fill_2d(void *pointer, std::size_t pitch, int value, std::size_t width,
                    std::size_t height) {
  if (width > pitch) return cudaErrorInvalidPitchValue;
  for (std::size_t y = 0; y < height; ++y) {
    const cudaError_t error = fill_checked(static_cast<char *>(pointer) + y * pitch, value, width);
    if (error != cudaSuccess && y > 0)
      explain(with_commas(height) + " rows are set, and the memory ends after " + with_commas(y));
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace

bool is_array(cudaArray_const_t array) { return arrays().has(array); }

void ReleaseArray::operator()(char *memory) const {
  if (hooks) hooks->memory(memory, 0, MemoryEvent::freed, nullptr);
  DeviceMemory::instance().release(memory);
}

}  // namespace cuda_on_cpu

using namespace cuda_on_cpu;

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
  if (!pointer || !pitch) return finish_call(cudaErrorInvalidValue);
  *pitch = (width + kPitch - 1) / kPitch * kPitch;
  const CopyingFor caller(copying_for(__builtin_return_address(0)));
  return cudaMalloc(pointer, *pitch * height);
}
cudaError_t cudaMalloc3D(cudaPitchedPtr *pointer, cudaExtent extent) {
  if (!pointer) return finish_call(cudaErrorInvalidValue);
  *pointer = {nullptr, 0, extent.width, extent.height};
  const CopyingFor caller(__builtin_return_address(0));
  return cudaMallocPitch(&pointer->ptr, &pointer->pitch, extent.width,
                         extent.height * extent.depth);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  const CopyingFor caller(__builtin_return_address(0));
  if (const cudaError_t error = refused(Use::legacy_stream)) return finish_call(error);
  return finish_call(copy_2d(to, to_pitch, from, from_pitch, width, height, kind));
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  const void *caller = __builtin_return_address(0);
  return run_or_capture(stream, cudaGraphNodeTypeMemcpy, [=] {
    const CopyingFor copying(caller);
    return copy_2d(to, to_pitch, from, from_pitch, width, height, kind);
  });
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *parameters) {
  const CopyingFor caller(__builtin_return_address(0));
  if (const cudaError_t error = refused(Use::legacy_stream)) return finish_call(error);
  return finish_call(parameters ? copy_3d(*parameters) : cudaErrorInvalidValue);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *parameters, cudaStream_t stream) {
  if (!parameters) return finish_call(cudaErrorInvalidValue);
  const void *caller = copying_for(__builtin_return_address(0));
  return run_or_capture(stream, cudaGraphNodeTypeMemcpy, [=, wanted = *parameters] {
    const CopyingFor copying(caller);
    return copy_3d(wanted);
  });
}
cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height) {
  const CopyingFor caller(__builtin_return_address(0));
  if (const cudaError_t error = refused(Use::legacy_stream)) return finish_call(error);
  return finish_call(fill_2d(pointer, pitch, value, width, height));
}
cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  const void *caller = __builtin_return_address(0);
  return run_or_capture(stream, cudaGraphNodeTypeMemset, [=] {
    const CopyingFor copying(caller);
    return fill_2d(pointer, pitch, value, width, height);
  });
}
cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent) {
  const CopyingFor caller(__builtin_return_address(0));
  if (const cudaError_t error = refused(Use::legacy_stream)) return finish_call(error);
  return finish_call(
      fill_2d(pointer.ptr, pointer.pitch, value, extent.width, extent.height * extent.depth));
}

cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *channels, size_t width,
                            size_t height, unsigned flags) {
  const CopyingFor caller(__builtin_return_address(0));
  return cudaMalloc3DArray(array, channels, {width, height, 0}, flags);
}
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *channels,
                              cudaExtent extent, unsigned flags) {
  if (!array || !channels || extent.width == 0 ||
      flags > (cudaArrayLayered | cudaArraySurfaceLoadStore))
    return finish_call(cudaErrorInvalidValue);
  const std::size_t bytes = element_bytes(*channels);
  if (bytes == 0 || bytes > 16) return finish_call(cudaErrorInvalidChannelDescriptor);
  const std::size_t count = extent.width * at_least_one(extent.height) * at_least_one(extent.depth);
  auto *memory = static_cast<char *>(DeviceMemory::instance().allocate(count * bytes));
  if (!memory) return finish_call(cudaErrorMemoryAllocation);
  count_allocation();
  const void *caller = copying_for(__builtin_return_address(0));
  if (hooks) hooks->memory(memory, count * bytes, MemoryEvent::allocated, caller);
  at_reset(free_arrays);
  *array = arrays().create(
      {*channels, extent, flags, bytes, std::unique_ptr<char, ReleaseArray>(memory)});
  return finish_call(cudaSuccess);
}
cudaError_t cudaFreeArray(cudaArray_t array) {
  if (array && is_array(array)) array_is_gone(array);
  if (!array || arrays().destroy(array)) return finish_call(cudaSuccess);
  explain("it is no array, or has been freed");
  return finish_call(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *channels, cudaExtent *extent, unsigned *flags,
                             cudaArray_t array) {
  if (!is_array(array)) return finish_call(cudaErrorInvalidResourceHandle);
  if (channels) *channels = array->channels;
  if (extent) *extent = array->extent;
  if (flags) *flags = array->flags;
  return finish_call(cudaSuccess);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x_bytes, size_t y, const void *from,
                                size_t pitch, size_t width, size_t height, cudaMemcpyKind kind) {
  const CopyingFor caller(__builtin_return_address(0));
  if (const cudaError_t error = refused(Use::legacy_stream)) return finish_call(error);
  return finish_call(
      copy_array_2d(to, x_bytes, y, const_cast<void *>(from), pitch, width, height, kind, true));
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x_bytes, size_t y, const void *from,
                                     size_t pitch, size_t width, size_t height, cudaMemcpyKind kind,
                                     cudaStream_t stream) {
  const void *caller = __builtin_return_address(0);
  return run_or_capture(stream, cudaGraphNodeTypeMemcpy, [=] {
    const CopyingFor copying(caller);
    return copy_array_2d(to, x_bytes, y, const_cast<void *>(from), pitch, width, height, kind,
                         true);
  });
}
cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x_bytes,
                                  size_t y, size_t width, size_t height, cudaMemcpyKind kind) {
  const CopyingFor caller(__builtin_return_address(0));
  if (const cudaError_t error = refused(Use::legacy_stream)) return finish_call(error);
  return finish_call(copy_array_2d(const_cast<cudaArray_t>(from), x_bytes, y, to, pitch, width,
                                   height, kind, false));
}
// Copies as many whole rows as `bytes` fills.
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x_bytes, size_t y, const void *from,
                              size_t bytes, cudaMemcpyKind kind) {
  if (!is_array(to)) return finish_call(cudaErrorInvalidResourceHandle);
  const std::size_t row = bytes < row_bytes(*to) ? bytes : row_bytes(*to);
  const CopyingFor caller(__builtin_return_address(0));
  if (const cudaError_t error = refused(Use::legacy_stream)) return finish_call(error);
  return finish_call(copy_array_2d(to, x_bytes, y, const_cast<void *>(from), row, row,
                                   row ? bytes / row : 0, kind, true));
}
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x_bytes, size_t y,
                                size_t bytes, cudaMemcpyKind kind) {
  if (!is_array(from)) return finish_call(cudaErrorInvalidResourceHandle);
  const std::size_t row = bytes < row_bytes(*from) ? bytes : row_bytes(*from);
  const CopyingFor caller(__builtin_return_address(0));
  if (const cudaError_t error = refused(Use::legacy_stream)) return finish_call(error);
  return finish_call(copy_array_2d(const_cast<cudaArray_t>(from), x_bytes, y, to, row, row,
                                   row ? bytes / row : 0, kind, false));
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
