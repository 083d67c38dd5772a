// Surface objects: arrays that kernels read and write by coordinates, of which x counts bytes.
#include <cstring>
#include <string>

#include "api/texture.hpp"
#include "base/hooks.hpp"
#include "device/array.hpp"
#include "device/device_memory.hpp"
#include "messages/diagnostics.hpp"
#include "messages/errors.hpp"
#include "messages/failures.hpp"
#include "messages/text.hpp"
#include "streams/registry.hpp"
#include "threads/block.hpp"

namespace cuda_on_cpu {
namespace {

struct Surface {
  cudaArray *array;
  const char *gone = nullptr;  // as of a Texture
};

auto &surfaces() { return Registry<Surface>::instance(); }

// On a GPU it ends the kernel, too: cudaBoundaryModeTrap.
[[noreturn]] void leave_surface(int x_bytes, int y, std::size_t row, std::size_t height,
                                       const char *what, const void *caller) {
  Block &block = current_block();
  const char *call = static_cast<const char *>(caller) - 1;
  const std::string line =
      hooks && hooks->line_of ? std::string(" at ") + hooks->line_of(call) : "";
  if (block.first_failure())
    report("memory",
           "a surface of %zu rows of %zu bytes: kernel %s, block %s, thread %s uses row %d, byte "
           "%d%s, "
           "%s",
           height, row, block.grid()->name, text_of(blockIdx).c_str(), text_of(threadIdx).c_str(),
           y, x_bytes, line.c_str(), what);
  block.fail(cudaErrorLaunchFailure);
}

char *surface_element(cudaSurfaceObject_t object, std::size_t bytes, int x_bytes, int y, int z,
                      const void *caller) {
  const Surface &surface = *reinterpret_cast<Surface *>(object);
  if (surface.gone) use_of_gone("surface", surface.gone, caller);
  cudaArray &array = *surface.array;
  const std::size_t row = row_bytes(array), height = at_least_one(array.extent.height);
  const bool inside = x_bytes >= 0 && x_bytes + bytes <= row && y >= 0 &&
                      static_cast<std::size_t>(y) < height && z >= 0 &&
                      static_cast<std::size_t>(z) < at_least_one(array.extent.depth);
  if (!inside) leave_surface(x_bytes, y, row, height, "outside of it", caller);
  if (x_bytes % bytes != 0)
    leave_surface(x_bytes, y, row, height, "which is no beginning of an element: x counts bytes",
                  caller);
  char *element = array.memory.get() + x_bytes + (static_cast<std::size_t>(z) * height + y) * row;
  // The array's description is in memory that the program can write to.
  if (!DeviceMemory::instance().maps(element))
    leave_surface(x_bytes, y, row, height, "which is no memory of the device", caller);
  return element;
}

}  // namespace

void surfaces_lose(const cudaArray *array) {
  surfaces().for_each([&](Surface &surface) {
    if (surface.array == array) surface.gone = "whose array has been freed";
  });
}
std::size_t live_surfaces() { return surfaces().size(); }

// Neither copy is a function's last call: it would look like the submission's own copy, because the
// compiler makes a jump of it.
void read_surface(cudaSurfaceObject_t object, void *value, std::size_t bytes, int x_bytes, int y,
                  int z) {
  const void *caller = __builtin_return_address(0);
  const char *element = surface_element(object, bytes, x_bytes, y, z, caller);
  std::memcpy(value, element, bytes);
  if (hooks && hooks->fetched) hooks->fetched(element, bytes, caller);
  if (hooks && hooks->texel_read) hooks->texel_read(element, bytes, caller);
}
void write_surface(cudaSurfaceObject_t object, const void *value, std::size_t bytes, int x_bytes,
                   int y, int z) {
  const void *caller = __builtin_return_address(0);
  char *element = surface_element(object, bytes, x_bytes, y, z, caller);
  if (hooks && hooks->surface_written) hooks->surface_written(element, bytes, caller);
  std::memcpy(element, value, bytes);
  __asm__("");  // so that the copy is not the last call
}

}  // namespace cuda_on_cpu

using namespace cuda_on_cpu;

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const cudaResourceDesc *resource) {
  if (!object || !resource || resource->resType != cudaResourceTypeArray ||
      !is_array(resource->res.array.array))
    return finish_call(cudaErrorInvalidValue);
  if (!(resource->res.array.array->flags & cudaArraySurfaceLoadStore)) {
    explain("the array was made without cudaArraySurfaceLoadStore");
    return finish_call(cudaErrorInvalidValue);
  }
  *object = reinterpret_cast<cudaSurfaceObject_t>(surfaces().create({resource->res.array.array}));
  return finish_call(cudaSuccess);
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  const bool known =
      surfaces().retire(reinterpret_cast<const Surface *>(object),
                        [](Surface &surface) { surface.gone = "after cudaDestroySurfaceObject"; });
  return finish_call(known ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
